"""A support desk's history: a hundred short tickets, each with the one word it should have got; all made up here.

``DESK`` is how the desk is told to work at first: it names the labels, and neither their form nor when each holds.
``DESK_WITH_RULES`` is about as long and says both. Labels have five letters and more, because a dataset drops shorter
answers.
"""

from __future__ import annotations

import csv
from pathlib import Path

from tests.interop.tickets import TICKETS

DESK = """You sort the mail of a shop's support desk. Customers write in their own words, often in a hurry, sometimes
upset. Read every message with care and put yourself in the customer's place. Then say which kind of message it is, so
that the right colleague can take it from there: Refund, Defect, Howto, Praise or Escalate. Refund goes to the cashier,
Defect to the workshop, Howto to the people at the phone, Praise to the whole team, and Escalate to the head of the
desk. Where several kinds fit, take the one that helps the customer most. Work quickly; many messages are waiting.
"""

DESK_WITH_RULES = """You classify support messages. Reply with exactly one of these words, in lowercase, without
punctuation: refund, defect, howto, praise, escalate.

- refund: they were charged wrongly or want money back.
- defect: something in the product does not work, crashes, or shows an error.
- howto: they ask how to do something or where to find it.
- praise: they say thanks or that they like it.
- escalate: the message speaks of a lawyer, an attorney, a court, the police or a journalist, or somebody was hurt
  (fire, burn, shock, fall, hospital). Such a message is escalate even if it also asks how, or for money.

Reply with the one word only.
"""

_MORE: dict[str, tuple[str, ...]] = {
    "refund": (
        "Two identical payments left my bank yesterday, kindly send one of them back.",
        "The curtain rail is shorter than described, I would like my money returned.",
        "I cancelled within the hour, yet the amount was still taken. Please pay it back.",
        "You promised a partial repayment in May and nothing has arrived so far.",
        "The gift card was rejected and now the balance is gone, I want it back.",
        "I paid for express and it came by ordinary post. Return the difference.",
        "Please refund the second ticket, only one of us could come.",
        "My parcel was lost, so I expect the price of it back on my card.",
        "I was billed for a yearly plan although I chose the monthly one. Undo that charge.",
        "The jacket went back three weeks ago, when do I see the money?",
        "A deposit was taken for a room that I never used. I ask for it back.",
        "Your shop took postage twice for a single box, please repay it.",
    ),
    "defect": (
        "The calculator gives a wrong sum as soon as I enter a comma.",
        "Sorting by date puts the oldest entries at random places.",
        "The screen freezes when I rotate the phone.",
        "Sound stops after ten seconds in every video.",
        "Saving a note fails and the text is lost.",
        "The login page shows a blank white window.",
        "Printing a label crashes the program at once.",
        "The timer counts backwards after midnight.",
        "Pictures appear upside down after sending them.",
        "The volume button is broken since the last version.",
        "Every second message arrives twice in my inbox.",
        "The thermostat shows minus forty degrees in summer.",
    ),
    "howto": (
        "How do I move my list to another device?",
        "Where is the switch for the quiet mode?",
        "What steps are needed to join two accounts?",
        "How can I turn off the weekly mail?",
        "Can you explain how to change the paper size?",
        "Where do I enter a voucher?",
        "How do I make a copy of a calendar?",
        "Is there a way to see who opened my link, and where?",
        "How can I make the letters larger?",
        "Where can I download the manual?",
        "How do I set up a second remote control?",
        "What must I click to share a folder with my sister?",
    ),
    "praise": (
        "The new colours are a joy, thank you.",
        "Your courier was so kind to my grandmother, lovely people.",
        "I have used many planners and this one is the nicest by far.",
        "Thank you for the quick help this morning.",
        "The soup mixes taste wonderful, well made!",
        "My class loved the puzzle, thanks for such a good idea.",
        "Great job on the last update, it feels so smooth.",
        "I am very happy with the chair, it is just right.",
        "Simply the best bakery tools I ever had, bravo.",
        "Thanks again, you made our anniversary special.",
        "What a pleasant shop, I will come back.",
        "Such soft towels, we like them a lot.",
    ),
    "escalate": (
        "The kettle exploded and my hand is burnt.",
        "My lawyer has the photos of the broken ladder already.",
        "I will go to court unless the charge is taken back.",
        "The police have taken down what your driver did.",
        "A journalist called me about the recalled toys.",
        "My son got a shock from the lamp and is in hospital.",
        "Our attorney asks for the name of your insurer.",
        "The shelf fell on my mother, she was taken to hospital.",
        "There was a fire in the kitchen because of your toaster.",
        "Tell me where to send the letter of my lawyer.",
        "I have reported the double payment to the police.",
        "She slipped on your wet stairs and broke her arm, it was a bad fall.",
    ),
}

HISTORY: list[tuple[str, str]] = [("defect" if label == "bug" else label, text) for label, text in TICKETS]
HISTORY += [(label, text) for label, texts in _MORE.items() for text in texts]


def write_history(path: Path, prompt_name: str) -> Path:
    """Write the history as a desk would export it: a table of answers that a person found good."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["ticket_id", "prompt_name", "question", "answer", "rating"])
        writer.writerows([f"t-{n:03}", prompt_name, text, label, 5] for n, (label, text) in enumerate(HISTORY))
        writer.writerow(
            ["t-900", prompt_name, "This is the worst answer of the whole lot.", "Dear customer, hello!", 1]
        )
    return path
