; The Windows installer: for one person, without administrator, with an uninstaller. Workspaces are never touched.
; usage: makensis -DVERSION=0.1.0 -DVERSION4=0.1.0.0 -DSOURCE=folder -DOUTPUT=setup.exe packaging/windows/honeyguide.nsi
;   -DUNINSTALLER=file   a signed uninstaller to ship, made by running the setup built with -DWRITE_UNINSTALLER

Unicode true
ManifestDPIAware true
RequestExecutionLevel user
SetCompressor /SOLID lzma
Name "Honeyguide"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\Honeyguide"
InstallDirRegKey HKCU "Software\Honeyguide" "InstallDir"
BrandingText "Honeyguide ${VERSION}"

!include "MUI2.nsh"
!include "FileFunc.nsh"

!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Honeyguide"
!define REVIEW_TYPE "Honeyguide.Review"
!define MUI_ICON "honeyguide.ico"
!define MUI_UNICON "honeyguide.ico"
!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN "$INSTDIR\honeyguide-window.exe"
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_LICENSE "../../LICENSE"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!ifndef UNINSTALLER
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!endif
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

LangString StillOpen ${LANG_ENGLISH} "Honeyguide is open. Close its window, then press Retry."
LangString StillOpen ${LANG_GERMAN} "Honeyguide ist geöffnet. Schließen Sie das Fenster und wählen Sie Wiederholen."
LangString NotOurs ${LANG_ENGLISH} "This folder holds other files. Choose an empty folder, or one with Honeyguide in it."
LangString NotOurs ${LANG_GERMAN} "Dieser Ordner enthält andere Dateien. Wählen Sie einen leeren Ordner oder den von Honeyguide."
LangString DataStays ${LANG_ENGLISH} "Honeyguide is removed. Your workspaces and settings are still there."
LangString DataStays ${LANG_GERMAN} "Honeyguide ist entfernt. Ihre Arbeitsbereiche und Einstellungen sind noch da."

VIProductVersion "${VERSION4}"
VIAddVersionKey "ProductName" "Honeyguide"
VIAddVersionKey "FileDescription" "Honeyguide setup"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "CompanyName" "The Honeyguide project"
VIAddVersionKey "LegalCopyright" "Apache License 2.0"

; Windows does not let a running program be replaced: opening it for writing tells.
!macro WaitUntilClosed
    ${Do}
        ${IfNot} ${FileExists} "$INSTDIR\honeyguide-window.exe"
            ${ExitDo}
        ${EndIf}
        ClearErrors
        FileOpen $0 "$INSTDIR\honeyguide-window.exe" a
        ${IfNot} ${Errors}
            FileClose $0
            ${ExitDo}
        ${EndIf}
        MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(StillOpen)" /SD IDCANCEL IDRETRY +2
        Abort
    ${Loop}
!macroend

; Only what an installation put there is taken away: the folder _internal and the programs, never the folder blindly.
!macro RemoveProgram
    RMDir /r "$INSTDIR\_internal"
    Delete "$INSTDIR\honeyguide.exe"
    Delete "$INSTDIR\honeyguide-window.exe"
    Delete "$INSTDIR\uninstall.exe"
!macroend

Section "Honeyguide"
    ${If} ${FileExists} "$INSTDIR\*.*"
    ${AndIfNot} ${FileExists} "$INSTDIR\honeyguide.exe"
        ${DirState} "$INSTDIR" $1
        ${If} $1 == 1
            MessageBox MB_OK|MB_ICONSTOP "$(NotOurs)" /SD IDOK
            Abort
        ${EndIf}
    ${EndIf}
    !insertmacro WaitUntilClosed
    !insertmacro RemoveProgram
    SetOutPath "$INSTDIR"
    File /r "${SOURCE}\*"
!ifdef UNINSTALLER
    File "/oname=uninstall.exe" "${UNINSTALLER}"
!else
    WriteUninstaller "$INSTDIR\uninstall.exe"
!endif

    CreateShortcut "$SMPROGRAMS\Honeyguide.lnk" "$INSTDIR\honeyguide-window.exe"

    WriteRegStr HKCU "Software\Honeyguide" "InstallDir" "$INSTDIR"
    WriteRegStr HKCU "Software\Classes\.honeyguide-review" "" "${REVIEW_TYPE}"
    WriteRegStr HKCU "Software\Classes\.honeyguide-review" "Content Type" "application/vnd.honeyguide.review+html"
    WriteRegStr HKCU "Software\Classes\${REVIEW_TYPE}" "" "Honeyguide review"
    WriteRegStr HKCU "Software\Classes\${REVIEW_TYPE}\DefaultIcon" "" "$INSTDIR\honeyguide-window.exe,0"
    WriteRegStr HKCU "Software\Classes\${REVIEW_TYPE}\shell\open\command" "" '"$INSTDIR\honeyguide-window.exe" open "%1"'
    WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\honeyguide.exe" "" "$INSTDIR\honeyguide.exe"

    WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayName" "Honeyguide"
    WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
    WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\honeyguide-window.exe"
    WriteRegStr HKCU "${UNINSTALL_KEY}" "Publisher" "The Honeyguide project"
    WriteRegStr HKCU "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
    WriteRegStr HKCU "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
    WriteRegStr HKCU "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
    WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoModify" 1
    WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoRepair" 1
    ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
    IntFmt $0 "0x%08X" $0
    WriteRegDWORD HKCU "${UNINSTALL_KEY}" "EstimatedSize" "$0"
    System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd

!ifndef UNINSTALLER
Section "Uninstall"
    !insertmacro WaitUntilClosed
    !insertmacro RemoveProgram
    RMDir "$INSTDIR"
    Delete "$SMPROGRAMS\Honeyguide.lnk"
    DeleteRegKey HKCU "${UNINSTALL_KEY}"
    DeleteRegKey HKCU "Software\Honeyguide"
    DeleteRegKey HKCU "Software\Classes\${REVIEW_TYPE}"
    DeleteRegKey HKCU "Software\Classes\.honeyguide-review"
    DeleteRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\honeyguide.exe"
    System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
    MessageBox MB_OK|MB_ICONINFORMATION "$(DataStays)" /SD IDOK
SectionEnd
!endif

; With this the setup only writes its uninstaller beside itself and ends, so that it can be signed and shipped.
!ifdef WRITE_UNINSTALLER
Function .onInit
    WriteUninstaller "$EXEDIR\uninstall.exe"
    Quit
FunctionEnd
!endif
