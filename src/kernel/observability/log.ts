// Logs: JSON lines, or readable text in a terminal.
import { createRequire } from 'node:module';
import { pino, type Logger } from 'pino';
import type * as Pretty from 'pino-pretty';
import type { LogLevel } from './log-level.ts';

export type { Logger };

export function createLog(level: LogLevel, isTerminal: boolean): Logger {
  if (!isTerminal) return pino({ level, base: null });
  // Loaded only for a terminal.
  const { PinoPretty } = createRequire(import.meta.url)('pino-pretty') as typeof Pretty;
  return pino({ level, base: null }, PinoPretty({ translateTime: 'SYS:HH:MM:ss', singleLine: true }));
}
