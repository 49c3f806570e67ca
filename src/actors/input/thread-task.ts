// The messages between the server and the thread that checks input schemas and inputs.
import { Failure } from '../../kernel/failure.ts';

/** The key pair of one account and Actor, by which secret fields are encrypted. */
export interface InputKeys {
  /** PEM. */
  publicKey: string;
  /** PEM, encrypted with the passphrase. */
  privateKey: string;
  passphrase: string;
}

export interface CheckSchemaTask {
  kind: 'check-schema';
  text: string;
}

export interface PrepareInputTask {
  kind: 'prepare-input';
  schema: string;
  /** The JSON text as it was sent; absent where there was no body. */
  body?: Uint8Array;
  maxBytes: number;
  /** Needed where the schema has secret fields. */
  keys?: InputKeys;
}

export interface MergeInputTask {
  kind: 'merge-input';
  /** Keeps the fields that `sent` does not have. */
  saved: Uint8Array;
  sent: Uint8Array;
  /** With it the result is validated and its secret fields are encrypted; defaults are not filled in. */
  schema?: string;
  maxBytes: number;
  keys?: InputKeys;
}

export interface EvaluateMemoryTask {
  kind: 'evaluate-memory';
  expression: string;
  input?: Uint8Array;
  runOptions: Record<string, unknown>;
}

export type InputTask = CheckSchemaTask | PrepareInputTask | MergeInputTask | EvaluateMemoryTask;

/** A schema that is valid. */
export interface CheckedSchema {
  /** As compact JSON. */
  text: string;
  hasSecretFields: boolean;
}

export interface TaskResults {
  'check-schema': CheckedSchema;
  /** The JSON to store; undefined where there was no body and the schema has no defaults. */
  'prepare-input': Uint8Array | undefined;
  'merge-input': Uint8Array;
  'evaluate-memory': number;
}

/** An error of the caller; the thread reports any other as a defect. */
export class TaskError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The same for callers of the API. */
export function toFailure({ message, code }: TaskError): Failure {
  return new Failure('invalid', message, { code });
}
