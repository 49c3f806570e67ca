// The highlighter, loaded when there is something to highlight.
import { useEffect, useState } from 'react';
import type { Token } from './tokenize.ts';

export type Tokenizer = (lines: readonly string[]) => Token[][];

/** Larger texts stay plain. */
const MAX_CHARACTERS = 300_000;

/** Undefined where the text stays plain, and until the highlighter is there. */
export function useTokenizer(path: string, characters: number): Tokenizer | undefined {
  const [found, setFound] = useState<{ path: string; tokenizer: Tokenizer }>();
  const isWanted = characters <= MAX_CHARACTERS;
  useEffect(() => {
    if (!isWanted) return undefined;
    let isLeft = false;
    void load(path).then((tokenizer) => {
      if (!isLeft && tokenizer !== undefined) setFound({ path, tokenizer });
    });
    return () => {
      isLeft = true;
    };
  }, [path, isWanted]);
  return isWanted && found?.path === path ? found.tokenizer : undefined;
}

/** Where it cannot be loaded, the text stays plain. */
async function load(path: string): Promise<Tokenizer | undefined> {
  try {
    const [{ languageOf }, { tokenizeLines }] = await Promise.all([
      import('./languages.ts'),
      import('./tokenize.ts'),
    ]);
    const language = languageOf(path);
    return language && ((lines) => tokenizeLines(lines, language));
  } catch {
    return undefined;
  }
}
