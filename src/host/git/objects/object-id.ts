// The ids of git objects: SHA-1 in hexadecimal.
import { Failure } from '../../../kernel/failure.ts';

/** Stands for "no object" in git's own input and output. */
export const ZERO_OID = '0'.repeat(40);
/** Git knows this object even where no repository holds it. */
export const EMPTY_TREE_OID = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const OID = /^[0-9a-f]{40}$/;

export function isObjectId(text: string): boolean {
  return OID.test(text) && text !== ZERO_OID;
}

/** Only checked ids become arguments of git, so that no text of a caller is taken for an option or an expression. */
export function checkedObjectId(text: string): string {
  if (isObjectId(text)) return text;
  throw new Failure(
    'invalid',
    `${JSON.stringify(text)} is not the id of an object, which has 40 hexadecimal digits.`,
  );
}
