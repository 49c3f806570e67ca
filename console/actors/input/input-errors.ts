// What the API says about an input, field by field.

/** What is wrong, by the name of the field; '' for what belongs to none. */
export type InputErrors = ReadonlyMap<string, string>;

const FIELD = / ?input\.([\w$-]+)/;

/** The API names every field in one sentence: "Input is not valid: Field input.url is required, Field input.max must be <= 5". */
export function errorsByField(message: string): InputErrors {
  const sentences = message
    .replace(/^Input is not valid: /, '')
    .split(/, (?=(?:Field|Property|Items in|Keys|Values) )/);
  const errors = new Map<string, string>();
  for (const sentence of sentences) {
    const name = FIELD.exec(sentence)?.[1] ?? '';
    const known = errors.get(name);
    errors.set(name, known === undefined ? sentence : `${known}, ${sentence}`);
  }
  return errors;
}
