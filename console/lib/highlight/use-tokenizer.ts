// The highlighter, loaded when there is something to highlight.
import { useEffect, useMemo, useState } from 'react';
import type { Token } from './tokenize.ts';
import type { TokenReader } from './token-reader.ts';

export type Tokenizer = (lines: readonly string[]) => Token[][];

interface Highlighter {
  tokenize: Tokenizer;
  /** Of a text of its own, which may change. */
  openReader: () => TokenReader;
}

/** Larger texts stay plain. */
const MAX_CHARACTERS = 300_000;

/** Undefined where the text stays plain, and until the highlighter is there. */
export function useTokenizer(path: string, characters: number): Tokenizer | undefined {
  return useHighlighter(path, characters <= MAX_CHARACTERS)?.tokenize;
}

/** For a text that is being edited: it may be as long as it likes, since only what is in view and above is read. */
export function useTokenReader(path: string): TokenReader | undefined {
  const highlighter = useHighlighter(path, true);
  return useMemo(() => highlighter?.openReader(), [highlighter]);
}

function useHighlighter(path: string, isWanted: boolean): Highlighter | undefined {
  const [found, setFound] = useState<{ path: string; highlighter: Highlighter }>();
  useEffect(() => {
    if (!isWanted) return undefined;
    let isLeft = false;
    void load(path).then((highlighter) => {
      if (!isLeft && highlighter !== undefined) setFound({ path, highlighter });
    });
    return () => {
      isLeft = true;
    };
  }, [path, isWanted]);
  return isWanted && found?.path === path ? found.highlighter : undefined;
}

/** Where it cannot be loaded, the text stays plain. */
async function load(path: string): Promise<Highlighter | undefined> {
  try {
    const [{ languageOf }, { tokenizeLines }, { openTokenReader }] = await Promise.all([
      import('./languages.ts'),
      import('./tokenize.ts'),
      import('./token-reader.ts'),
    ]);
    const language = languageOf(path);
    return (
      language && {
        tokenize: (lines) => tokenizeLines(lines, language),
        openReader: () => openTokenReader(language),
      }
    );
  } catch {
    return undefined;
  }
}
