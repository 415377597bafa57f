"""Forty short support tickets with the label each should get, and prompts from vague to precise; all made up here."""

from __future__ import annotations

VAGUE = "You are a helpful assistant for our shop. Take care of the customer's message."
NAMED = "Sort the message into refund, bug, howto, praise or escalate."
PRECISE = """You classify support messages. Reply with exactly one of these words, in lowercase, without punctuation:
refund, bug, howto, praise, escalate.

- refund: they were charged wrongly or want money back.
- bug: something in the product does not work, crashes, or shows an error.
- howto: they ask how to do something or where to find it.
- praise: they say thanks or that they like it.
- escalate: the message names a lawyer, an attorney, a court, the police or a journalist, or somebody was hurt (fire,
  burn, shock, fall, hospital). Such a message is escalate even if it also asks how, or for money.

Reply with the one word only."""

TICKETS: list[tuple[str, str]] = [
    ("refund", "I was charged twice for my October order. Please return one of the payments."),
    ("refund", "The lamp came broken and I want my money back."),
    ("refund", "Cancel my subscription and pay back this month, I never used it."),
    ("refund", "Why is there a 12 euro fee on my card? I did not order anything. Give it back."),
    ("refund", "The shoes do not fit, I sent them back last week, where is my refund?"),
    ("refund", "You took the full price although I had a voucher. Please pay me the difference."),
    ("refund", "I'd like a refund for the concert that was called off."),
    ("refund", "My trial was not over and you billed me. I want that amount returned."),
    ("bug", "The app closes every time I open the photo tab."),
    ("bug", "Since the update the search shows error 502."),
    ("bug", "The export button does nothing when I click on it."),
    ("bug", "My basket is empty again after each reload of the page."),
    ("bug", "The map stays grey on my tablet and never loads."),
    ("bug", "Uploading a PDF fails with 'unknown error' each time."),
    ("bug", "The dark mode makes the text in the menu invisible."),
    ("bug", "The alarm does not ring although it is switched on."),
    ("howto", "How do I change the address of my account?"),
    ("howto", "Where can I find last year's invoices?"),
    ("howto", "How can I add a second user to our team?"),
    ("howto", "Can you tell me how to switch the language to Dutch?"),
    ("howto", "What do I have to do to reset my password?"),
    ("howto", "How do I connect the scale to my phone?"),
    ("howto", "Where do I set the time zone?"),
    ("howto", "How can I print only one page of a report?"),
    ("praise", "Just wanted to say that the new layout is lovely. Well done!"),
    ("praise", "Your support answered within minutes, thank you so much."),
    ("praise", "Best purchase of the year, my kids adore it."),
    ("praise", "Thanks to the team, everything arrived early and nicely packed."),
    ("praise", "I love how quiet the machine is. Great work."),
    ("praise", "Five stars from me, keep it up."),
    ("praise", "The workshop was wonderful, thank you."),
    ("praise", "What a beautiful book, thanks for making it."),
    ("escalate", "If I don't hear from you by Friday my lawyer will write to you."),
    ("escalate", "The charger caught fire and burnt my daughter's hand."),
    ("escalate", "I'm going to the police about this charge on my account."),
    ("escalate", "A journalist from the local paper is already interested in how you treat customers."),
    ("escalate", "We will see each other in court over this refund."),
    ("escalate", "My father fell because the rail broke off and he is in hospital."),
    ("escalate", "My attorney says you must pay back the fee at once."),
    ("escalate", "The heater gave me an electric shock, how do I report this?"),
]
