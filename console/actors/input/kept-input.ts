// What was typed into an input and not sent yet, kept in this browser. Secrets are never among it.
import { useLayoutEffect } from 'react';
import { useDraft } from '../../app/drafts.ts';
import type { InputObject } from './secrets.ts';
import type { InputDraft } from './use-input.ts';

interface KeptInput {
  /** JSON; empty where nothing was kept. */
  input: string;
}

/** `key` names the form and what it is about. */
export function useKeptInput(key: string) {
  const { value, change, forget } = useDraft<KeptInput>(key, { input: '' });
  return { value: parseKept(value.input), change, forget };
}

/** Keeps what the draft has, from its first change on. */
export function useKeeping(
  draft: InputDraft,
  { change }: Pick<ReturnType<typeof useKeptInput>, 'change'>,
): void {
  // A secret that was typed as JSON is not kept either.
  const text = draft.isChanged ? JSON.stringify(withoutFields(draft.value, draft.secretFields)) : undefined;
  useLayoutEffect(() => {
    if (text !== undefined) change({ input: text });
    // The function is another at each drawing.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [text]);
}

function parseKept(text: string): InputObject | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as InputObject);
  } catch {
    return undefined;
  }
}

function withoutFields(value: InputObject, names: readonly string[]): InputObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
