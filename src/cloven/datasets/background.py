"""What is written down of patients whatever they come for, and what cannot be said of whom."""

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
            "addiction ageing alcohol alcoholism amputation cigarette cirrhosis condom daughter divorce"
            " drinking elderly emphysema husband insurance menopause overdose partner pregnancy prison"
            " retinopathy retired sedentary smoking statins suicide unemployment warfarin widow work"
        ),
        "adult": "ageing child elderly growth nursing retired school widow",
        "elderly": "birth child football growth mother pregnancy running school sport unemployment work",
        "female": "prostate",
        "male": "husband menopause pregnancy sister widow",
    }
)
