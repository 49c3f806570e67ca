// What a backup says of itself: where it comes from, what is in it, and how its parts are found and checked. ADR 0166.
import type { CopiedTable } from '../storage/copy/copied-table.ts';

export const BACKUP_FORMAT = 1;

/** Bytes in a backup, found by the hash of their content; in a single file by their place, too. */
export interface ObjectRef {
  hash: string;
  size: number;
  at?: number;
  length?: number;
}

interface BackupListing {
  count: number;
  bytes: number;
  parts: ObjectRef[];
}

export interface BackupTable extends CopiedTable {
  rows: number;
  /** The same for the same rows in any order, on any engine. */
  checksum: string;
  parts: ObjectRef[];
}

export interface BackupManifest {
  format: number;
  id: string;
  createdAt: string;
  release: string;
  /** It is for the place that it comes from, where large objects and repositories are: ADR 0175. */
  isRowsOnly?: true;
  engine: string;
  /** The names of the migrations that its tables have. */
  migrations: string[];
  /** The fingerprint of the key that its secrets are encrypted with, where there are any, and the key where it goes along. */
  secretKey: { fingerprint?: string; content?: ObjectRef };
  tables: BackupTable[];
  blobs: BackupListing;
  /** Their files, and how many repositories there are. */
  repositories: BackupListing & { repositories: number };
}

/** A line of the list of blobs. */
export interface BackedUpBlob {
  key: string;
  /** As the store says it: where it is the same, so is the content. */
  modifiedAt?: number;
  ref: ObjectRef;
}

/** A line of the list of the files of repositories. */
export interface BackedUpFile {
  /** The folder of its kind, empty for repositories. */
  kind: string;
  number: number;
  path: string;
  modifiedAt?: number;
  ref: ObjectRef;
}
