// The worker thread that renders a document of Markdown; it may be terminated at any time.
import { micromark, type Options } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { serveTasks } from '../../kernel/threads/serve-tasks.ts';
import { isolate, linkReferences } from '../texts/link-references.ts';
import { boundNesting } from './bound-nesting.ts';
import type { MarkdownTask } from './markdown-client.ts';

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

/** A short text may become a table of millions of empty cells. */
const MAX_GROWTH = 16;
const SHORT_TEXT = 4096;

serveTasks<MarkdownTask, string | undefined>(({ text, mode, references }, port) => {
  /** HTML in the text is escaped. Links lead to http, https and mailto addresses, or are relative. */
  const html = micromark(boundNesting(text), {
    extensions: [gfm(), ...(mode === 'gfm' ? [lineBreaks] : [])],
    htmlExtensions: [gfmHtml({ labelAttributes: '' }), ...(mode === 'gfm' ? [lineBreaksHtml] : [])],
  });
  const max = MAX_GROWTH * Math.max(text.length, SHORT_TEXT);
  if (html.length > max) return port.send(undefined);
  const linked = isolate(references === undefined ? html : linkReferences(html, references));
  port.send(linked.length > max ? undefined : linked);
});
