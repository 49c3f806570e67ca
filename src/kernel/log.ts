// Logs: JSON lines, readable text in a terminal.
import { pino, type Logger } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type { Logger };

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function createLog(level: LogLevel, isTerminal: boolean): Logger {
  return isTerminal
    ? pino({ level, base: null }, PinoPretty({ ignore: 'time', singleLine: true }))
    : pino({ level, base: null });
}
