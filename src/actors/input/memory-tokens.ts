// The tokens of memory expressions.
import { wrong } from './memory-values.ts';
import type { TaskError } from './thread-task.ts';

export interface MemoryToken {
  kind: 'number' | 'text' | 'name' | 'sign' | 'end';
  text: string;
  at: number;
}

const TOKEN =
  /(?<space>[\s]+|#.*)|(?<number>0x[\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)|(?<text>"[^"\\]*"|'[^'\\]*')|(?<name>[a-z_$][\w$]*)|(?<sign>\?\?|\?\.|==|!=|<=|>=|[-+*/%^<>?:,.()[\]])/iy;

export function tokensOf(text: string): MemoryToken[] {
  const tokens: MemoryToken[] = [];
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const found = pattern.exec(text)?.groups;
    if (found === undefined) throw unexpected(text.slice(at, at + 1), at);
    for (const kind of ['number', 'text', 'name', 'sign'] as const)
      if (found[kind] !== undefined) tokens.push({ kind, text: found[kind], at });
  }
  return [...tokens, { kind: 'end', text: '', at: text.length }];
}

export function unexpected(text: string, at: number): TaskError {
  return wrong(`"${text}" is unexpected at ${at}`);
}
