// Bytes as numbers and letters, sixteen in a line.

const IN_LINE = 16;

export function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += IN_LINE) {
    const part = [...bytes.subarray(at, at + IN_LINE)];
    const numbers = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${numbers.padEnd(IN_LINE * 3 - 1)}  ${letters}`);
  }
  return lines.join('\n');
}
