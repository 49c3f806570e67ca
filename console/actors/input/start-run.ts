// The call that starts a run, and what the API says about its input, field by field.
import { path, type Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { ApiError } from '../../api/error.ts';
import { useSettled } from '../../lib/settled.ts';
import { errorsByField, type InputErrors } from './input-errors.ts';
import type { RunOptionsDraft } from './run-options.tsx';
import type { InputObject } from './secrets.ts';
import type { InputDraft } from './use-input.ts';

export function startCall(
  actorId: string,
  { body, secretFields }: InputDraft,
  options: RunOptionsDraft,
): Call {
  const { build, memory, timeout } = options;
  return {
    api: 'actors',
    method: 'POST',
    path: path`/actors/${actorId}/runs`,
    query: { build: build.trim(), memory, timeout: timeout.trim() },
    body,
    secretFields,
  };
}

const TYPING_MS = 500;

/** Asks the API once the fingers rest. Secrets go past the cache, so that inputs with typed ones are only checked when they are sent. */
export function useInputErrors(actorId: string, build: string, draft: InputDraft): InputErrors {
  const { typed, problem, isChanged } = draft;
  const body = useSettled<InputObject>(draft.body, TYPING_MS);
  const { error } = useRead<unknown>(
    {
      call: {
        api: 'actors',
        method: 'POST',
        path: path`/actors/${actorId}/validate-input`,
        query: { build: build.trim() },
        body,
        secretFields: draft.secretFields,
      },
    },
    { isEnabled: isChanged && problem === undefined && Object.keys(typed).length === 0 },
  );
  return inputErrorsOf(error);
}

export function inputErrorsOf(error: ApiError | null | undefined): InputErrors {
  return error?.code === 'invalid-input' ? errorsByField(error.message) : new Map<string, string>();
}
