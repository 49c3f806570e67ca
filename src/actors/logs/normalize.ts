// Lines and messages without what differs from run to run, so that those with the same meaning can be counted together.

/** Longer texts are compared by their beginnings. */
const MAX_LENGTH = 300;

const URL_TEXT = /\bhttps?:\/\/[^\s"'<>)\]]+/g;
const TIME = /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g;
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;
/** Hashes and ids: letters and digits in one word. */
const ID = /\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{10,64}\b/g;
const NUMBER = /\d+(?:[.,]\d+)*/g;

/** Addresses, times, ids and numbers become words in angle brackets. */
export function normalizeText(text: string): string {
  return text
    .slice(0, 4 * MAX_LENGTH)
    .replaceAll(URL_TEXT, '<url>')
    .replaceAll(TIME, '<time>')
    .replaceAll(UUID, '<id>')
    .replaceAll(ID, '<id>')
    .replaceAll(NUMBER, '<n>')
    .trim()
    .slice(0, MAX_LENGTH);
}
