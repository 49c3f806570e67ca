// Markdown of comments: a line ending in a paragraph or heading breaks the line, as people expect who write it.
import type { Options } from 'micromark';

type SyntaxExtension = NonNullable<Options['extensions']>[number];
type HtmlExtension = NonNullable<Options['htmlExtensions']>[number];
type Construct = Extract<NonNullable<SyntaxExtension['text']>[string], { tokenize: unknown }>;
type State = ReturnType<Construct['tokenize']>;

/** Carriage return, line feed, and both; and what a line may be indented with, in the codes of the parser. */
const LINE_ENDINGS = [-5, -4, -3];
const INDENTS: readonly (number | null)[] = [-2, -1, 32];

/** Line endings of text, unlike those between blocks, in code and in titles of links. */
const textLineEnding: Construct = {
  tokenize(effects, ok) {
    const inIndent: State = (code) => {
      if (!INDENTS.includes(code)) {
        effects.exit('linePrefix');
        return ok(code);
      }
      effects.consume(code);
      return inIndent;
    };
    return (code) => {
      effects.enter('lineEnding', { isInText: true } as object);
      effects.consume(code);
      effects.exit('lineEnding');
      return (next) => {
        if (!INDENTS.includes(next)) return ok(next);
        effects.enter('linePrefix');
        return inIndent(next);
      };
    };
  },
};

export const lineBreaks: SyntaxExtension = {
  text: Object.fromEntries(LINE_ENDINGS.map((code) => [code, textLineEnding])),
};

export const lineBreaksHtml: HtmlExtension = {
  enter: {
    lineEnding(token) {
      if ('isInText' in token) this.tag('<br />');
    },
  },
  exit: {
    // A break that is written as one stands before a line ending, which has it already.
    hardBreakEscape() {},
    hardBreakTrailing() {},
  },
};
