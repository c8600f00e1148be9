"""Writes the PDF fixtures; run by make-fixtures.sh, which checks them.

usage: make-fixtures.py MADE SCRATCH

All content is invented here: words made of syllables, images of seeded noise.
"""

import random
import sys
from io import BytesIO
from pathlib import Path

import fitz
from PIL import Image, ImageChops, ImageDraw, ImageFilter
from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    Image as Figure, PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table)

rl_config.invariant = 1  # fixed dates and ID
rl_config.useA85 = 0     # binary Flate and JPEG streams, as most producers write

AUTHOR = "The Quire project"
DATE = "D:20240101000000Z"


# Text

class Filler:
    """Words of no language, some much more frequent than others, as in prose."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        onsets = "b br c d dr f g gl h k l m n p pl qu r s st t tr v w".split()
        vowels = "a e i o u ai ea ou".split()
        codas = ["", "", "", "l", "m", "n", "r", "s", "t", "nd", "rn"]
        pick = self.random.choice
        self.words = sorted({
            "".join(pick(onsets) + pick(vowels) + pick(codas)
                    for _ in range(pick((1, 1, 2, 2, 3))))
            for _ in range(1500)})
        self.random.shuffle(self.words)
        self.weights = [1 / (rank + 8) for rank in range(len(self.words))]

    def take(self, count):
        return self.random.choices(self.words, self.weights, k=count)

    def title(self, count=3):
        return " ".join(self.take(count)).capitalize()

    def sentence(self):
        words = self.take(self.random.randint(5, 18))
        if len(words) > 9:
            words[len(words) // 2] += ","
        return " ".join(words).capitalize() + "."

    def paragraph(self):
        return " ".join(self.sentence() for _ in range(self.random.randint(3, 7)))


BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=10.5, leading=13.5,
                      alignment=4, spaceAfter=6)
HEAD = ParagraphStyle("head", fontName="Helvetica-Bold", fontSize=15, leading=19,
                      spaceBefore=4, spaceAfter=8)


def footer(canvas, doc):
    canvas.setFont("Helvetica", 8)
    canvas.drawCentredString(A4[0] / 2, 36, f"{doc.title} \u2013 {doc.page}")


def write_document(path, title, story):
    SimpleDocTemplate(str(path), pagesize=A4, title=title, author=AUTHOR,
                      leftMargin=72, rightMargin=72, topMargin=64, bottomMargin=64,
                      ).build(story, onFirstPage=footer, onLaterPages=footer)


def chapter(filler, number, paragraphs):
    yield Paragraph(f"{number}. {filler.title()}", HEAD)
    for _ in range(paragraphs):
        yield Paragraph(filler.paragraph(), BODY)


def table(filler, rows):
    cells = [[filler.title(1) for _ in range(4)]]
    for _ in range(rows):
        cells.append(filler.take(1) + [f"{filler.random.uniform(1, 999):.2f}"
                                       for _ in range(3)])
    return Table(cells, colWidths=90, spaceBefore=6, spaceAfter=10, style=[
        ("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
        ("FONT", (0, 0), (-1, 0), "Helvetica-Bold"),
        ("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey),
        ("ALIGN", (1, 0), (-1, -1), "RIGHT")])


def make_text(path):
    filler = Filler(1)
    story = []
    for number in range(1, 7):
        story += chapter(filler, number, 14)
        story += [table(filler, 8), PageBreak()]
    write_document(path, "Text", story)


# Images

def noise(rng, size, cells):
    """Smooth grey noise: random cells enlarged to the size asked for."""
    width, height = cells, max(2, cells * size[1] // size[0])
    grid = Image.frombytes("L", (width, height), rng.randbytes(width * height))
    return grid.resize(size, Image.Resampling.BICUBIC)


def landscape(seed, size):
    """Sky, sun, three ridges and some grain: JPEG finds in it what it finds in a photo."""
    rng = random.Random(seed)
    width, height = size
    clouds = noise(rng, size, 4)
    for cells in (9, 20, 45):
        clouds = Image.blend(clouds, noise(rng, size, cells), 0.35)
    down = Image.linear_gradient("L").resize(size)
    sky = Image.composite(Image.new("RGB", size, (244, 214, 170)),
                          Image.new("RGB", size, (70, 120, 190)), down)
    sky = Image.composite(Image.new("RGB", size, "white"), sky,
                          clouds.point(lambda v: max(0, v - 100)))
    sun = Image.new("L", size)
    x, y, r = width * 0.7, height * 0.3, height * 0.07
    ImageDraw.Draw(sun).ellipse((x - r, y - r, x + r, y + r), fill=255)
    picture = Image.composite(Image.new("RGB", size, (255, 246, 205)), sky,
                              sun.filter(ImageFilter.GaussianBlur(r / 4)))
    for base, colour in ((0.50, (118, 128, 150)), (0.64, (80, 100, 92)), (0.80, (44, 62, 40))):
        profile = noise(rng, (width, 2), 6).tobytes()
        detail = noise(rng, (width, 2), 60).tobytes()
        ridge = Image.new("L", size)
        pen = ImageDraw.Draw(ridge)
        for x in range(width):
            top = height * (base - 0.20 * profile[x] / 255 + 0.03 * detail[x] / 255)
            pen.line((x, top, x, height), fill=255)
        texture = noise(rng, size, width // 3).point(lambda v: 150 + v * 80 // 255)
        ground = ImageChops.multiply(Image.new("RGB", size, colour),
                                     Image.merge("RGB", [texture] * 3))
        picture.paste(ground, mask=ridge)
    grain = Image.frombytes("RGB", size, rng.randbytes(3 * width * height))
    return Image.blend(picture, grain, 0.06)


def jpeg(picture, quality):
    file = BytesIO()
    picture.save(file, "JPEG", quality=quality)
    file.seek(0)
    return file


def noisy_gradient(seed, size):
    """A gradient under full-range noise: Flate gains little on it."""
    rng = random.Random(seed)
    across = Image.linear_gradient("L").rotate(90).resize(size)
    down = Image.linear_gradient("L").resize(size)
    gradient = Image.merge("RGB", [across, down, ImageChops.invert(across)])
    grain = Image.frombytes("RGB", size, rng.randbytes(3 * size[0] * size[1]))
    return Image.blend(gradient, grain, 0.5)


def make_images(path):
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setTitle("Images")
    canvas.setAuthor(AUTHOR)

    def page(caption, source, width, height):
        canvas.setFont("Helvetica", 12)
        canvas.drawString(72, 760, caption)
        canvas.drawImage(ImageReader(source), 72, 740 - height, width, height)
        canvas.showPage()

    page("A landscape (JPEG)", jpeg(landscape(2, (640, 480)), 82), 448, 336)
    page("Noise over a gradient (RGB, Flate)", noisy_gradient(3, (140, 105)), 448, 336)
    page("A smooth gradient (RGB, Flate)",
         Image.merge("RGB", [Image.linear_gradient("L")] * 3), 256, 256)
    canvas.save()


# Form

def make_form(path):
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setTitle("Form")
    canvas.setAuthor(AUTHOR)
    form = canvas.acroForm
    filler = Filler(4)

    def label(x, y, text, font="Helvetica", size=10):
        canvas.setFont(font, size)
        canvas.drawString(x, y, text)

    for page in (1, 2):
        label(72, 770, f"{filler.title()} \u2013 part {page}", "Helvetica-Bold", 15)
        for row in range(7):
            y = 720 - 32 * row
            label(72, y + 6, filler.title(2))
            form.textfield(name=f"text{page}.{row}", x=220, y=y, width=300, height=20,
                           fontSize=10, borderWidth=1, forceBorder=True,
                           value=filler.title(4) if row % 2 else "")
        for row in range(4):
            y = 452 - 26 * row
            form.checkbox(name=f"check{page}.{row}", x=72, y=y, size=14,
                          checked=row == 1, buttonStyle="check")
            label(94, y + 3, filler.title(2))
        for row in range(3):
            y = 452 - 26 * row
            form.radio(name=f"radio{page}", value=f"r{row}", x=320, y=y, size=14,
                       selected=row == 0)
            label(342, y + 3, filler.title(2))
        options = sorted(set(word.capitalize() for word in filler.take(12)))
        label(72, 306, filler.title(2))
        form.choice(name=f"choice{page}", x=220, y=300, width=180, height=20,
                    fontSize=10, borderWidth=1, forceBorder=True,
                    options=options, value=options[2])
        label(72, 256, filler.title(2))
        form.listbox(name=f"list{page}", x=220, y=190, width=180, height=80,
                     fontSize=10, borderWidth=1, forceBorder=True,
                     options=options, value=options[0])
        label(72, 150, filler.title(2))
        # One line of it: reportlab puts further ones outside the field.
        form.textfield(name=f"notes{page}", x=220, y=90, width=300, height=70,
                       fontSize=10, borderWidth=1, forceBorder=True, maxlen=500,
                       fieldFlags="multiline", value=filler.title(5))
        canvas.showPage()
    canvas.save()


# Incremental saves

def make_saved(folder):
    """saved.pdf, and what each of three incremental saves adds to its end."""
    base = folder / "saved.pdf"
    filler = Filler(5)
    # The picture brings the base just under 64 KiB and the last save beyond.
    story = [*chapter(filler, 1, 6),
             Figure(jpeg(landscape(6, (640, 480)), 83), 400, 300, hAlign="LEFT"),
             PageBreak()]
    for number in (2, 3, 4):
        story += chapter(filler, number, 12)
    write_document(base, "Saved", story)

    def annotate(doc):
        page = doc[0]
        word = page.get_text("words")[12]
        highlight = page.add_highlight_annot(fitz.Rect(word[:4]))
        note = page.add_text_annot((520, 90), "Is this right?")
        for annotation in (highlight, note):
            annotation.set_info(title="Reader", creationDate=DATE, modDate=DATE)

    def write_on_page(doc):
        doc[1].insert_textbox((72, 770, 520, 800), filler.sentence(), fontsize=9,
                              fontname="helv", color=(0.7, 0, 0))
        doc.set_metadata({**doc.metadata, "subject": "Written on", "modDate": DATE})

    def add_page(doc):
        page = doc.new_page(width=A4[0], height=A4[1])
        page.insert_textbox((72, 72, 520, 240),
                            "\n\n".join(filler.paragraph() for _ in range(2)),
                            fontsize=10, fontname="tiro")
        page.insert_image((72, 260, 392, 500), stream=jpeg(landscape(7, (200, 150)), 60).read())

    before = base.read_bytes()
    whole = folder / "whole.pdf"
    whole.write_bytes(before)
    for number, edit in enumerate((annotate, write_on_page, add_page), 1):
        with fitz.open(whole) as doc:
            edit(doc)
            # no_new_id: MuPDF would otherwise draw a random ID.
            doc.save(str(whole), incremental=True, encryption=fitz.PDF_ENCRYPT_KEEP,
                     no_new_id=True)
        after = whole.read_bytes()
        assert after.startswith(before) and len(after) > len(before)
        (folder / f"saved-{number}.bin").write_bytes(after[len(before):])
        before = after
    whole.unlink()


made, scratch = map(Path, sys.argv[1:])
make_text(made / "text.pdf")
make_images(scratch / "images-plain.pdf")
make_form(made / "form.pdf")
make_saved(made)
