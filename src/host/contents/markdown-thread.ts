// The worker thread that renders documents of Markdown, one after the other; it may be terminated at any time.
import { micromark, type Options } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { serveTasks } from '../../kernel/threads/serve-tasks.ts';
import type { MarkdownTexts } from './markdown-client.ts';

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

serveTasks<MarkdownTexts, string>(({ texts, mode }, port) => {
  for (const text of texts) {
    /** HTML in the text is escaped. Links lead to http, https and mailto addresses, or are relative. */
    const html = micromark(text, {
      extensions: [gfm(), ...(mode === 'gfm' ? [lineBreaks] : [])],
      htmlExtensions: [gfmHtml(), ...(mode === 'gfm' ? [lineBreaksHtml] : [])],
    });
    // The renderer escapes quotes in text, so this only occurs in a tag of its own.
    port.send(html.replaceAll(/ href="(?:ircs?|xmpp):[^"]*"/gi, ' href=""'));
  }
});
