"""What the macOS app says about itself in ``Info.plist``."""

from __future__ import annotations

from typing import Any

REVIEW_TYPE = "org.honeyguide.review"
OLDEST_SYSTEM = "13.0"
"""What the Qt libraries of the lock ask for."""


def entries(version: str) -> dict[str, Any]:
    """Return the keys that PyInstaller adds to its own."""
    return {
        "CFBundleName": "Honeyguide",
        "CFBundleDisplayName": "Honeyguide",
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "LSApplicationCategoryType": "public.app-category.developer-tools",
        "LSMinimumSystemVersion": OLDEST_SYSTEM,
        "LSBackgroundOnly": False,
        "NSHighResolutionCapable": True,
        "NSPrincipalClass": "NSApplication",
        "NSRequiresAquaSystemAppearance": False,
        "NSHumanReadableCopyright": "Apache License 2.0",
        "UTExportedTypeDeclarations": [
            {
                "UTTypeIdentifier": REVIEW_TYPE,
                "UTTypeDescription": "Honeyguide review",
                "UTTypeConformsTo": ["public.data"],
                "UTTypeTagSpecification": {
                    "public.filename-extension": ["honeyguide-review"],
                    "public.mime-type": ["application/vnd.honeyguide.review+html"],
                },
            }
        ],
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "Honeyguide review",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Owner",
                "LSItemContentTypes": [REVIEW_TYPE],
            }
        ],
    }
