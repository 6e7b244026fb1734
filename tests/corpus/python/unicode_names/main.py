import unicodedata

samples = [
    "naïve café",
    "漢字かな交じり文",
    "שלום עולם",
    "مرحبا",
    "👩‍👩‍👧‍👦 family",
    "e\u0301 vs é",
    "𝄞 clef",
]
for text in samples:
    composed = unicodedata.normalize("NFC", text)
    print(f"{len(text):>2} {len(text.encode()):>2} {len(composed):>2} {text}")

print(unicodedata.name("☃"), unicodedata.category("٣"), int("٣٤"))
print("Straße".casefold() == "STRASSE".casefold(), "ǆ".title())
print("\u200bzero width\u200b", repr("\u202e"), ascii("ñ"))

"😀 漢字 עברית " + unicodedata.normalize("NFC", "e\u0301")
