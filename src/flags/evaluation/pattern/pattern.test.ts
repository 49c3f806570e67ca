// Patterns compared with the regular expressions of the language, and the cost of hostile ones.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CASED, foldUnit } from './char-set.ts';
import { compilePattern, MAX_TEXT } from './pattern.ts';

const MANY = 10_000_000;

function matches(source: string, text: string, left = MANY): boolean | undefined {
  return compilePattern(source)?.test(text, { left });
}

/** Every form of pattern syntax, with the legacy forms. */
const PIECES = String.raw`
  a b c A B 1 - _ . ^ $ { } ] a{,2} é É ſ ß µ 😀 (?:) ab abc
  \n \d \D \w \W \s \S \b \B \cA \c \x41 \x4 \u0062 \u00 \u{2} \0 \07 \101 \8 \1 \2 \3 \k \k<n> \ud83d \/ \- \p{2}
  [ab] [^ab] [a-c1] [^] [] [\w-b] [\d-] [-a] [\b] [\c_] [\s\S] [^\W]
  (a|b) (?<n>a|bc) (?=(a+)) (?:(a)|b)* (?<=(b)) ((c)|1) (a*)* (?<=\1)`;
const piece = fc.constantFrom(' ', ...PIECES.trim().split(/\s+/));
const opening = fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!', '(?<n>');
const count = fc.constantFrom('', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,}', '{0,2}', '{2,3}?', '{0}');

const UNITS = 'abcABK1- _\n\r\u2028éÉſKßµμ\ud83d\ude00\b{,2}\\ux4\u0001ks8p';

const { source } = fc.letrec<{ source: string }>((tie) => ({
  source: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    piece,
    fc.tuple(piece, count).map((parts) => parts.join('')),
    fc.array(tie('source'), { maxLength: 4 }).map((parts) => parts.join('')),
    fc.tuple(tie('source'), tie('source')).map((parts) => parts.join('|')),
    fc.tuple(opening, tie('source'), count).map(([open, body, times]) => `${open}${body})${times}`),
  ),
}));

const text = fc.string({
  unit: fc.constantFrom(...Array.from({ length: UNITS.length }, (_, at) => UNITS.charAt(at))),
  maxLength: 12,
});

describe('a pattern', () => {
  test('matches what the language says it does, in every form and with every flag', () => {
    const flags = fc.constantFrom('', 'i', 's', 'm', 'ims');
    const texts = fc.array(text, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(source, flags, texts, (body, modifiers, given) => {
        let native: RegExp;
        try {
          native = new RegExp(body, modifiers);
        } catch {
          return;
        }
        const pattern = compilePattern(modifiers === '' ? body : `(?${modifiers}:${body})`);
        for (const one of given) {
          const found = pattern!.test(one, { left: MANY });
          if (found !== undefined)
            assert.equal(found, native.test(one), `${native} on ${JSON.stringify(one)}`);
        }
      }),
      { numRuns: 4000 },
    );
  });

  const cases: [source: string, text: string, isMatch: boolean][] = [
    ['@example\\.com$', 'ada@example.com', true],
    ['^ada@example\\.com$', 'ada@example.com', true],
    ['^ada', 'nada', false],
    ['example', 'ada@example.com', true],
    ['', 'anything', true],
    ['^(?=.*staff)(?!.*guest)', 'a staff guest', false],
    ['^(?<year>\\d{4})-\\k<year>$', '2026-2026', true],
    ['(?:(?<n>a)|(?<n>b))\\k<n>', 'xbb', true],
    ['(?<\\u0061>x)\\k<a>', 'xx', true],
    ['(?i:k)', '\u212a', false],
    ['(?i:[^k])', 'K', false],
    ['(?i:a|[ab])', 'B', true],
    ['^.$', '😀', false],
  ];
  for (const [wanted, given, isMatch] of cases) {
    test(`${wanted} ${isMatch ? 'matches' : 'does not match'} ${given}`, () =>
      assert.equal(matches(wanted, given), isMatch));
  }

  test('is none where the language has none', () => {
    for (const bad of ['***', '(', 'a{2}{3}', '[b-a]', '(?<n>a)(?<n>b)', '\\k<n>(?<m>a)', '(?i)a']) {
      assert.equal(compilePattern(bad), undefined, bad);
    }
  });

  test('has no case outside the parts that are looked at for it', () => {
    const isCased = (unit: number) =>
      CASED.some((first, at) => at % 2 === 0 && unit >= first && unit <= CASED[at + 1]!);
    for (let unit = 0; unit <= 0xff_ff; unit += 1) {
      if (!isCased(unit)) assert.equal(foldUnit(unit), unit);
    }
  });
});

describe('a hostile pattern', () => {
  const long = `${'a'.repeat(MAX_TEXT - 3)}!bc`;
  const instructions = 30;
  const bombs = [
    '^(a+)+$',
    '^(a|a)*$',
    '^(.*a){25}$',
    '(a*)*(a*)*(a*)*b',
    '(?:a?){20}b',
    '(?=(a+)+c)a',
    '(?<!(a+)+c)$',
  ];
  for (const bomb of bombs) {
    test(`${bomb} takes steps as its length and that of the text`, () => {
      const steps = { left: MANY };
      const short = `${'a'.repeat(500)}!`;
      assert.notEqual(compilePattern(bomb)!.test(short, steps), undefined);
      const most = bomb.includes('(?') ? short.length ** 2 * instructions : short.length * 25 * instructions;
      assert.ok(MANY - steps.left < most, `${MANY - steps.left} steps`);
    });
  }

  test('with references is given up when its steps are used up', () => {
    for (const bomb of ['^(a|a)*\\1b', '(a*)*\\1b', '(?:(a)|(b))*\\1\\2c', '(?=(a*)*\\1b)']) {
      const steps = { left: 50_000 };
      assert.equal(compilePattern(bomb)!.test(long, steps), undefined);
      assert.equal(steps.left, 0);
    }
  });

  test('never takes more steps than there are', () => {
    fc.assert(
      fc.property(source, fc.nat(2000), (body, left) => {
        const steps = { left };
        const isMatch = compilePattern(body)?.test('ab'.repeat(50), steps);
        assert.ok(steps.left >= 0 || isMatch !== undefined);
        assert.ok(steps.left > -200);
      }),
      { numRuns: 500 },
    );
  });

  const large = [
    '(x{1000}){1000}',
    'x{1000}'.repeat(500),
    '((a{10}){10}){10}'.repeat(200),
    'x{99999999999999999999}',
    `${'('.repeat(1500)}a${')*'.repeat(1500)}`,
    'a'.repeat(5000),
  ];
  for (const each of large) {
    test(`as large as ${each.slice(0, 20)}, ${each.length} characters, is not tried`, () => {
      const pattern = compilePattern(each);
      assert.equal(pattern!.isTooLarge, true);
      assert.equal(pattern!.test('a', { left: MANY }), undefined);
    });
  }

  test('that repeats nothing is nothing', () => {
    assert.equal(matches('^(?:(?:){1000000000}){1000000000}$', ''), true);
    assert.equal(matches('^(?:(?:){0,1000000000})*a$', 'a'), true);
  });
});
