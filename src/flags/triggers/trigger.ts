// What a trigger is: a secret URL, and what becomes of a flag in an environment when it is called.
import type { Instruction } from '../patch-body.ts';
import type { FlagInEnvironmentRef } from '../planned-changes/flag-in-environment.ts';

export interface Trigger extends FlagInEnvironmentRef {
  id: string;
  maintainerId: string;
  /** What sort of program calls the URL. */
  integrationKey: string;
  isOn: boolean;
  /** Of the secret in its URL. */
  hash: string;
  firedCount: number;
  firedAt?: number;
  comment?: string;
  instructions: Instruction[];
  version: number;
  createdAt: number;
}
