// The type of a trigger: a secret URL, and the instructions for a flag in an environment that a call of it applies.
import type { Instruction } from '../patch-body.ts';
import type { FlagInEnvironmentRef } from '../planned-changes/flag-in-environment.ts';

export interface Trigger extends FlagInEnvironmentRef {
  id: string;
  maintainerId: string;
  /** The kind of service that calls the URL. */
  integrationKey: string;
  isOn: boolean;
  /** The hash of the secret in the URL. */
  hash: string;
  firedCount: number;
  firedAt?: number;
  comment?: string;
  instructions: Instruction[];
  version: number;
  createdAt: number;
}
