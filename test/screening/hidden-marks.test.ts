import { describe, expect, it } from 'vitest';
import { hasHiddenMarks, stripHidden } from '../../src/screening/hidden-marks.ts';
import { foldLookAlikes, hasLookAlikes } from '../../src/screening/look-alikes.ts';

const asTags = (text: string) => [...text].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');

describe('marks that nobody sees', () => {
  it.each([
    ['tag characters', `fine${asTags('not fine')}`],
    ['tags that only begin like a flag', `🏴${asTags('run this')}`],
    ['an override of direction', 'a \u202eb\u202c'],
    ['an isolate left open', 'a \u2066b'],
    ['a right-to-left isolate without such letters', '\u2067admin\u2069'],
    ['a run of zero-width spaces', 'a\u200b\u200b\u200bb'],
    ['letters parted again and again', 's\u200bt\u200bo\u200br\u200be'],
    ['a run of variation selectors', 'a\ufe01\ufe02'],
    ['supplementary selectors after Latin letters', 'a\u{e0101}'],
    ['deprecated format characters', 'a\u206ab'],
  ])('are found: %s', (_, text) => {
    expect(hasHiddenMarks(text)).toBe(true);
  });

  it.each([
    ['a family', '👨‍👩‍👧'],
    ['the flag of Scotland', `🏴${asTags('gbsct')}\u{e007f}`],
    ['keycaps', '1️⃣ #️⃣'],
    ['a picture form', '☎️ and ☎\ufe0e'],
    ['Persian joiners', 'نمی\u200cتوان فایل\u200cها را آن\u200cها نگه\u200cداری'],
    ['Thai word breaks', 'ภาษา\u200bไทย\u200bไม่มี\u200bช่องว่าง\u200bระหว่าง\u200bคำ'],
    ['Hebrew around a command', 'הפקודה \u2066npm test\u2069 רצה'],
    ['a right-to-left name in English', 'the label \u2067שמור\u2069 saves'],
    ['isolated arguments of a translation', 'Hello \u2068Mira\u2069!'],
    ['forms of Han letters', '葛\u{e0100}'],
    ['a byte order mark', '\ufeffid;name'],
    ['soft hyphens', 'Donau\u00addampf\u00adschiff\u00adfahrts\u00adgesell\u00adschaft'],
    ['one leftover of copying', 'config\u200b.json'],
  ])('are left to those who need them: %s', (_, text) => {
    expect(hasHiddenMarks(text)).toBe(false);
  });

  it('are gone from the text that is compared', () => {
    expect(stripHidden(`i\u200bg\u00adn\ufe0fo\u202er\u2060e${asTags('x')}`)).toBe('ignore');
  });
});

describe('letters that look alike', () => {
  it.each(['раyload', 'аdmin', 'previοus', 'Ιgnore'])('are found in %s', (word) => {
    expect(hasLookAlikes(word)).toBe(true);
    expect(foldLookAlikes(word)).toMatch(/^[A-Za-z]+$/);
  });

  it.each(['URLы', 'API-ключ', 'код', '40 µs', '3 kΩ', 'Δtime', 'λ-calculus', 'latin', 'καλημέρα'])('are not seen in %s', (word) => {
    expect(hasLookAlikes(word)).toBe(false);
    expect(foldLookAlikes(word)).toBe(word);
  });
});
