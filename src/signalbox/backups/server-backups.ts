// What makes and reads the backups of this server; the composition root fills it in.

export interface BackupFacts {
  id: string;
  createdAt: number;
  /** Without large objects and repositories: made before an upgrade. */
  isRowsOnly: boolean;
  /** Why its manifest cannot be read; nothing more is known then. */
  broken?: string;
  release?: string;
  rows?: number;
  blobs?: number;
  repositories?: number;
  /** Of everything that it consists of, however much of it other backups share. */
  bytes?: number;
  hasSecretKey?: boolean;
}

type OnProgress = (text: string, bytes: number) => void;

export interface ServerBackups {
  /** For people. */
  readonly place: string;
  readonly isBucket: boolean;
  readonly isOnDataDisk: boolean;
  readonly isEncrypted: boolean;
  /** 0 where none is made by itself. */
  readonly everyMs: number;
  /** 0 where all are kept. */
  readonly keptMs: number;
  /** The newest first. */
  list(): Promise<BackupFacts[]>;
  has(id: string): Promise<boolean>;
  /** Removes those afterwards that are older than they are kept, and says how many. */
  create(
    id: string,
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<{ backups: number; objects: number }>;
  /** A sentence for each thing that is broken. */
  verify(id: string, onProgress: OnProgress, signal: AbortSignal): Promise<string[]>;
  /** As one file. */
  download(id: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void>;
  close(): Promise<void>;
}

declare module '../../kernel/kernel.ts' {
  interface Services {
    backups: ServerBackups;
  }
}
