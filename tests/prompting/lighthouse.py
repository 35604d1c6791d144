"""A small brief in which all kinds of facts occur, and a prompt for it that a person might write."""

from longtake.briefs import read_brief_value
from longtake.core.brief import Brief

BRIEF: Brief = read_brief_value(
    {
        "schema": "longtake.brief/1",
        "id": "lighthouse",
        "title": "The last lamp",
        "language": "en",
        "instruction": "A keeper spends her last night in a lighthouse and leaves it to the gulls.",
        "duration": 24,
        "characters": [{"name": "Mara", "description": "keeper of sixty in a red coat"}],
        "consistency": ["Clothing: Mara wears the red coat in every shot"],
        "camera": ["never higher than her eyes"],
        "sound": {
            "dialogue": True,
            "narration": False,
            "music": "a single cello",
            "sound_effects": ["waves", "gulls"],
            "tone": "calm",
            "lip_sync": True,
            "languages": ["en"],
        },
        "shots": [
            {
                "id": "1", "duration": 7, "scene": "stairs", "camera": "slow push-in",
                "lighting": "cold dawn",
                "text": "Mara climbs the winding iron stairs.",
            },
            {
                "id": "2", "duration": 9, "scene": "lamp room", "camera": "static", "lighting": "lamp glow",
                "text": "She polishes the great lens with a cloth.", "dialogue": 'Mara: "One more night."',
            },
            {
                "id": "3", "duration": 8, "scene": "jetty", "camera": "wide shot", "lighting": "grey noon",
                "text": "Gulls settle on the empty gallery behind her boat.",
            },
        ],
    }
)  # fmt: skip
BY_HAND = (
    "Make me a 24-second film in three shots about a keeper who spends her last night in a lighthouse and "
    "leaves it to the gulls. Mara, a keeper of sixty in a red coat, climbs the winding iron stairs for 7 "
    "seconds, slow push-in, cold dawn. Then, 9 s in the lamp room, static, lamp glow: she polishes the "
    "great lens with a cloth and says “One more night.” At last, 8 seconds at the jetty, wide shot, grey "
    "noon: gulls settle on the empty gallery behind her boat. Camera never higher than her eyes. Mara "
    "wears the red coat in every shot. A single cello, waves, gulls; calm. English, lips and voice "
    "together in sync with the lips, no narration."
)
"""Says every fact of it in other words than the writer's."""
