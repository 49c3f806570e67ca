// Suggestions as they stand in Markdown, and what becomes of a file that takes one.

const FENCE = /^(`{3,}|~{3,})\s*suggestion\b.*$/;

/** The lines of each block whose language is `suggestion`. */
export function suggestionsIn(body: string): string[][] {
  const found: string[][] = [];
  let fence: string | undefined;
  for (const line of body.split(/\r?\n/)) {
    if (fence === undefined) {
      fence = FENCE.exec(line)?.[1];
      if (fence !== undefined) found.push([]);
    } else if (line.trimEnd() === fence) fence = undefined;
    else found.at(-1)!.push(line);
  }
  // One that does not end is none.
  if (fence !== undefined) found.pop();
  return found;
}

/** A fence that the text itself does not have. */
export function suggestionOf(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}suggestion\n${text}\n${fence}\n`;
}

/** The file with its lines from `first` to `last` replaced; it keeps its line endings. */
export function applySuggestion(file: string, first: number, last: number, lines: readonly string[]): string {
  const ending = file.includes('\r\n') ? '\r\n' : '\n';
  const all = file.split(ending);
  return [...all.slice(0, first - 1), ...lines, ...all.slice(last)].join(ending);
}

/** Undefined where it is no text in UTF-8. */
export function textOf(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64.replaceAll('\n', '')), (letter) => letter.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function base64Of(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
