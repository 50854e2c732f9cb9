"""Skin and eyes."""

from cloven.datasets.profile import Profile

SKIN = (
    Profile(
        name="eczema",
        weight=22,
        ages=(8, 4, 2),
        heads="eczema",
        symptoms="itching rash redness dryness blisters",
        organs="skin elbow scalp",
        tests="dermatologist allergist",
        treatments="ointment cream antihistamine moisturizer",
        background="allergy",
    ),
    Profile(
        name="psoriasis",
        weight=14,
        ages=(0, 6, 4),
        heads="psoriasis",
        symptoms="itching redness rash scaly",
        organs="skin scalp elbow knee",
        tests="dermatologist biopsy",
        treatments="ointment ultraviolet methotrexate",
        complications="arthritis",
        background="autoimmune",
    ),
    Profile(
        name="cataract",
        weight=20,
        ages=(0, 1, 9),
        heads="cataract eye",
        symptoms="blurred glare blindness",
        organs="lens",
        tests="ophthalmologist optometrist",
        treatments="lens surgery glasses",
        complications="falls",
        background="sunlight",
    ),
)
