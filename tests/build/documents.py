"""A small corpus of contracts and a policy, as files."""

from pathlib import Path

TEXTS = {
    "alder-msa.md": """# Services Agreement between Alder Logistics and Quarry Data

## 1. Fees
The Customer shall pay the Supplier a monthly fee of EUR 4,250.
The Customer shall pay every invoice within thirty (30) days of receipt.

## 2. Term
The initial term of this Agreement shall be three (3) years.
Either party may terminate this Agreement upon ninety (90) days' prior written notice.

## 3. Law
This Agreement shall be governed by the laws of the State of Delaware.
The Supplier shall not transfer Customer Data to a third party without the consent of the Customer.
""",
    "birch-msa.md": """# Services Agreement between Birch Foods and Quarry Data

## 1. Fees
The Customer shall pay the Supplier a monthly fee of EUR 6,100.
The Supplier shall correct an invoice within ten (10) days of a complaint.

## 2. Term
The initial term of this Agreement shall be two (2) years.
Either party may terminate this Agreement upon sixty (60) days' prior written notice.

## 3. Law
This Agreement shall be governed by the laws of the State of Texas.
The Supplier shall keep records of all Customer Data at its head office in Austin.
""",
    "travel.md": """# Travel Policy of Quarry Data

## 1. Booking
Employees must book flights at least fourteen days before departure.

| Grade | Hotel limit | Meal allowance |
|---|---|---|
| Staff | 140 | 45 |
| Director | 210 | 60 |

## 2. Claims
Employees must submit all receipts within twenty (20) days of their return.
Managers may approve a claim without receipts below 25 euros.
""",
}


def write_documents(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
