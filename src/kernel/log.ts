// Logs: JSON lines, readable text in a terminal.
import { pino, type Logger } from 'pino';
import { PinoPretty } from 'pino-pretty';
import type { LogLevel } from './log-level.ts';

export type { Logger };

export function createLog(level: LogLevel, isTerminal: boolean): Logger {
  return isTerminal
    ? pino({ level, base: null }, PinoPretty({ ignore: 'time', singleLine: true }))
    : pino({ level, base: null });
}
