"""What the conversation itself says. Plain words: what happened, what was kept, what to do next."""

from __future__ import annotations

NOTHING_HEARD = "I didn't hear anything. Hold the button while you speak."
LONG = "That was ten minutes. I stopped listening there, and answer what I have heard."
NOT_UNDERSTOOD = "Sorry, I didn't catch that. Please say it again."
ONLY_COMMANDS = (
    "I didn't recognise that as a command. Without a speech model I understand only commands; "
    "say: what can I say, to hear some."
)
NO_MODEL = (
    "I heard: {text}. That is not one of my commands, and no language model is set up. Name one in your profile, "
    "or start me with the profile openai, anthropic, groq or local, and I can do much more. "
    "For now, say: what can I say."
)
STILL_WARMING = "One moment, I am still getting ready. I have what you said."
STILL_THINKING = "I'm still thinking."
STILL_ACTING = "I'm still working on it."
STOPPED = "Stopped."
NOTHING_TO_REPEAT = "I haven't said anything yet."
NOT_OPEN = "That question is no longer open, so nothing was done."
INTERNAL = "Something went wrong inside me, and I stopped there. What you said is kept. Please try again."
NOT_SAVED = "I can't write to the disk, so this conversation is not being saved. {reason}"
SAID_TOO_EARLY = "Please answer after the question. Say yes, or say no."
NOT_EDITED = "This cannot be changed, only allowed or not. Please answer yes or no."
MAY_NOT_APPROVE = "This device may not answer that. Please answer on a device that may approve, or say stop."
MAY_NOT_SPEAK = "This device may not give orders here. Its owner can change that with: 01 devices."
ONLY_THIS_ONCE = "I allow it this once; for this I have to ask each time."
CHALLENGE_AGAIN = "Those were not the words. To agree, say: {words}."
CHALLENGE_FAILED = "Those were not the words, so I leave it."
STOPPED_BY = "Everything was stopped by {by}."
DONE_LATE = "What was running is done. It says: {output}"
DONE_LATE_SILENT = "What was running is done."
UNANSWERED = "I was restarted before I had finished with this: “{text}”. Please ask me again if you still want it."
SOMETHING = "something that I was to forget."
NO_PATHS = "This device may not name files of this computer. Send the picture itself."
ANSWER_UNCLEAR = "I take that as a no."
NO_VOICE = "I can't speak: {reason}"
