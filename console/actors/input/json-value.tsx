// Any value as JSON, for objects and lists without an editor of their own.
import { useState } from 'react';
import { FieldError } from '../../ui/field.tsx';
import { TextArea } from '../../ui/input.tsx';
import type { EditorProps } from './input-field.tsx';
import { INPUT_WORDS } from './input-words.ts';

/** What is no JSON yet is a text, which the API refuses. */
export function JsonValue({ value, onValue }: EditorProps<unknown>) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, undefined, 2)));
  const problem = problemOf(text);
  const change = (next: string) => {
    setText(next);
    onValue(
      next.trim() === '' ? undefined : problemOf(next) === undefined ? (JSON.parse(next) as unknown) : next,
    );
  };
  return (
    <>
      <TextArea
        isMono
        className="input-json"
        rows={Math.min(16, Math.max(3, text.split('\n').length + 1))}
        spellCheck={false}
        autoCapitalize="off"
        value={text}
        onValue={change}
      />
      {problem !== undefined && <FieldError>{INPUT_WORDS.noJson(problem)}</FieldError>}
    </>
  );
}

function problemOf(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
