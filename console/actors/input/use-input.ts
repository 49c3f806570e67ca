// An input while it is edited. The form and the JSON are two views of one value; secrets are beside it, and in neither.
import { useState } from 'react';
import { secretNames, type InputSchema } from './input-schema.ts';
import { INPUT_WORDS } from './input-words.ts';
import { isInputObject, type InputObject, type OpenInput } from './secrets.ts';

export type InputMode = 'form' | 'json';

interface Draft {
  mode: InputMode;
  value: InputObject;
  /** What stands in the JSON, which may be no JSON for a while. */
  text: string;
  problem?: string;
  /** As the server has stored them. */
  kept: Readonly<Record<string, string>>;
  /** Typed here. */
  typed: InputObject;
  isChanged: boolean;
}

export interface InputDraft extends Draft {
  setField: (name: string, value: unknown) => void;
  setText: (text: string) => void;
  setMode: (mode: InputMode) => void;
  setSecret: (name: string, value: unknown) => void;
  /** The input with its secrets, to be sent. */
  body: InputObject;
  /** Fields that must not be shown in the call. */
  secretFields: string[];
}

const format = (value: InputObject) => JSON.stringify(value, undefined, 2);

export function useInputDraft(initial: OpenInput, schema: InputSchema | undefined): InputDraft {
  const secret = secretNames(schema);
  const [draft, setDraft] = useState<Draft>(() => ({
    mode: schema === undefined ? 'json' : 'form',
    value: initial.value,
    text: format(initial.value),
    kept: initial.secrets,
    typed: {},
    isChanged: false,
  }));
  const change = (next: (present: Draft) => Draft) =>
    setDraft((present) => ({ ...next(present), isChanged: true }));
  const setField = (name: string, value: unknown) =>
    change((present) => {
      const next = withField(present.value, name, value);
      return { ...present, value: next, text: format(next) };
    });
  const setText = (text: string) =>
    change((present) => {
      const { value, problem } = parseInput(text);
      const { problem: _, ...rest } = present;
      return {
        ...rest,
        text,
        ...(problem !== undefined && { problem }),
        ...(value !== undefined && { value }),
      };
    });
  const setMode = (mode: InputMode) =>
    setDraft((present) => {
      if (mode === 'json') return { ...present, mode };
      // What was typed as JSON into a secret field leaves the sight there.
      const given = Object.entries(present.value).filter(([name]) => secret.includes(name));
      const value = Object.fromEntries(
        Object.entries(present.value).filter(([name]) => !secret.includes(name)),
      );
      const typed = { ...present.typed, ...Object.fromEntries(given) };
      return { ...present, mode, value, typed, text: format(value) };
    });
  const setSecret = (name: string, value: unknown) =>
    change((present) => ({
      ...present,
      typed: withField(present.typed, name, value === '' ? undefined : value),
      kept: withField(present.kept, name, undefined) as Draft['kept'],
    }));
  return {
    ...draft,
    setField,
    setText,
    setMode,
    setSecret,
    body: { ...draft.kept, ...draft.typed, ...draft.value },
    secretFields: [...new Set([...secret, ...Object.keys(draft.kept), ...Object.keys(draft.typed)])],
  };
}

function withField(value: InputObject, name: string, field: unknown): InputObject {
  if (field !== undefined) return { ...value, [name]: field };
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}

function parseInput(text: string): { value?: InputObject; problem?: string } {
  if (text.trim() === '') return { value: {} };
  try {
    const value = JSON.parse(text) as unknown;
    return isInputObject(value) ? { value } : { problem: INPUT_WORDS.noObject };
  } catch (error) {
    return { problem: INPUT_WORDS.noJson((error as Error).message) };
  }
}
