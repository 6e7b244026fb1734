import xml.etree.ElementTree as ET
from html import escape
from html.parser import HTMLParser
from urllib.parse import parse_qs, urljoin, urlsplit

catalogue = ET.fromstring("""
<catalogue>
  <book id="b1" year="1979"><title>Gödel, Escher, Bach</title></book>
  <book id="b2" year="1984"><title>SICP</title></book>
</catalogue>""")
for book in catalogue.findall("book"):
    print(book.get("id"), book.get("year"), book.findtext("title"))
ET.SubElement(catalogue, "book", id="b3").text = "a < b & c"
print(ET.tostring(catalogue[-1], encoding="unicode"))


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.found.append(urljoin("https://example.org/docs/", dict(attributes).get("href")))


parser = Links()
parser.feed('<p>See <a href="intro.html">intro</a> and <A HREF="/q?x=1&amp;x=2">query</A>.')
for link in parser.found:
    print(link, parse_qs(urlsplit(link).query))
print(escape('<b>"bold"</b>'))
