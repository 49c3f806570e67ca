// Events: their table, and the feeds that show them.
import type { Part } from '../../kernel/part.ts';
import { eventMigrations } from '../migrations/events.ts';

export const eventPart: Part = { migrations: eventMigrations };
