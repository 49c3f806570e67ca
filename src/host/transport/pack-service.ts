// What all transfers of git share: how many go on at once, the hook, and the limits.
import { availableParallelism } from 'node:os';
import type { Clock } from '../../kernel/clock.ts';
import { DEFAULT_INFLATION, type InflationLimits } from '../git/received-pack.ts';
import { GitTransfers, type TransferLimits } from './git-transfers.ts';
import { HookFolder } from './pre-receive.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    packs: PackService;
  }
}

export interface PackSettings {
  /** The folder of all repositories. */
  repositories: string;
  /** The largest pack that a push may have. */
  maxPushBytes: number;
  /** How much the objects of a push may be when they are inflated. */
  inflation?: Partial<InflationLimits>;
}

export class PackService {
  readonly maxPushBytes: number;
  readonly inflation: InflationLimits;
  readonly hooks: HookFolder;
  /** Fetches and pushes: twice as many as cores. */
  readonly transfers: GitTransfers;

  constructor(
    { maxPushBytes, repositories, inflation }: PackSettings,
    clock: Clock,
    limits: Partial<TransferLimits> = {},
  ) {
    this.maxPushBytes = maxPushBytes;
    this.inflation = { ...DEFAULT_INFLATION, ...inflation };
    this.hooks = new HookFolder(repositories);
    this.transfers = new GitTransfers(
      'transfers of git',
      { max: 2 * availableParallelism(), ...limits },
      clock,
    );
  }

  /** Transfers that go on, and that wait. */
  get load(): { used: number; waiting: number } {
    return this.transfers.load;
  }
}
