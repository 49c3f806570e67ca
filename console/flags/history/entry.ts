// An entry of the audit log about a flag.
import type { AuditLogEntry, AuditLogEntrySummary } from '../../api/types/flags.ts';

export type HistoryEntry = AuditLogEntrySummary;
export type HistoryDetail = AuditLogEntry;
