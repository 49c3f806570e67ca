// Texts that other people chose, made safe for a terminal.

/** Names and messages: none may move the cursor, and none fills the screen. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '?').slice(0, 200);
}

/** Escape, a bracket, numbers and an m. */
const COLOUR = new RegExp(`${String.fromCodePoint(27)}\\[[\\d;]*m`, 'gu');

/** A line of a log: its colours stay where they are wanted, and no other sequence reaches the terminal. */
export function printableLine(line: string, hasColours: boolean): string {
  const parts: string[] = [];
  let end = 0;
  for (const { 0: colour, index } of line.matchAll(COLOUR)) {
    parts.push(withoutControls(line.slice(end, index)), hasColours ? colour : '');
    end = index + colour.length;
  }
  return [...parts, withoutControls(line.slice(end))].join('');
}

function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{Cc}\t]/gu, '').replaceAll(/[\u202A-\u202E\u2066-\u2069]/gu, '');
}
