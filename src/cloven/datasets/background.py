"""What is written down of patients of a clinic whatever they come for, and what cannot be said of whom."""

from __future__ import annotations

from types import MappingProxyType

AGES = ("child", "adult", "elderly")

# Circumstances of an age, most usual first.
CIRCUMSTANCES = MappingProxyType(
    {
        "child": "child mother school vaccine growth",
        "adult": "work stress smoking insurance sport",
        "elderly": "elderly retired widow nurse falls",
    }
)

# Words of any visit, most usual first.
VISIT = "doctor hospital medication referral appointment nurse"

# Complaints that have nothing to do with why the patient came, most usual first.
COMPLAINTS = "headache cold insomnia fatigue toothache cramps dizziness itching"

# Words that would be absurd of a patient of this age or sex, whatever profile they come from.
NEVER = MappingProxyType(
    {
        "child": (
            "ageing alcohol alcoholism cigarette condom contraceptive daughter divorce drinking driver elderly"
            " husband impotence insurance menopause menstruation partner pregnancy prison retired"
            " salt sedentary smoking statins unemployment warfarin widow work"
        ),
        "adult": "ageing child elderly nursing retired widow",
        "elderly": (
            "birth child contraceptive growth menstruation mother pregnancy school"
            " unemployment work"
        ),
        "female": "impotence prostate",
        "male": "contraceptive husband menopause menstruation pregnancy sister widow",
    }
)
