// The two services of git over HTTP: how their processes are started, what they need of the repository or gist that they serve, and what all transfers share.
import { availableParallelism } from 'node:os';
import type { RawExchange, RawRouteCall } from '../../kernel/http/raw-route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { GitProgram } from '../git/process/git-process.ts';
import type { GitTarget } from '../git/git-target.ts';
import { DEFAULT_INFLATION, type InflationLimits } from '../git/received-pack.ts';
import { type ProposedPush, HookFolder } from './pre-receive-hook.ts';
import type { CountedRow } from './store-inflated.ts';
import { GitTransfers, type TransferLimits } from './git-transfers.ts';

export type ServiceName = 'git-upload-pack' | 'git-receive-pack';

const MEBIBYTE = 1024 ** 2;
/** A request for objects names what the client wants and has, and no objects. */
export const MAX_FETCH_BYTES = 64 * MEBIBYTE;
/** Beside its pack, a push has a line for each reference. */
export const MAX_COMMAND_BYTES = 16 * MEBIBYTE;
const PROTOCOL = /^version=[012](?::[a-z0-9=]{1,32}){0,4}$/;

/** Other values of the header `Git-Protocol` are ignored: what is passed on is read by the program. */
export function protocolOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && PROTOCOL.test(header) ? header : undefined;
}

/** The reply of the smart protocol begins with the name of the service, except in version 2 of it. */
export function announcement(service: ServiceName): string {
  const line = `# service=${service}\n`;
  return `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
}

interface ServiceStart {
  folder: string;
  protocol: string | undefined;
}

/** The arguments and the environment for sending objects. */
export function uploadPack({ folder, protocol }: ServiceStart, mode: string) {
  const config = {
    'uploadpack.allowFilter': 'true',
    // A partial clone asks for single objects. Version 2 of the protocol allows that whatever is configured.
    'uploadpack.allowAnySHA1InWant': 'true',
    'transfer.hideRefs': 'refs/hidden',
    'pack.threads': '1',
    'pack.windowMemory': '64m',
  };
  return {
    args: [...options(config), 'upload-pack', mode, folder],
    start: {
      folder,
      work: 'transfer',
      env: protocol === undefined ? {} : { GIT_PROTOCOL: protocol },
    } as const,
  };
}

/** For receiving objects. Version 2 of the protocol has no pushes. */
export function receivePack(
  { folder }: Pick<ServiceStart, 'folder'>,
  mode: string,
  { maxPushBytes, hooksPath }: { maxPushBytes: number; hooksPath: string },
) {
  const config = {
    'core.hooksPath': hooksPath,
    // A pack is stored as it is: as single files, what its deltas stand for would be written out.
    'receive.unpackLimit': '1',
    'receive.maxInputSize': String(maxPushBytes),
    'receive.fsckObjects': 'true',
    'transfer.fsckObjects': 'true',
    // Old commits of many projects have these mistakes, which harm nobody.
    'receive.fsck.badTimezone': 'ignore',
    'receive.fsck.missingSpaceBeforeDate': 'ignore',
    'receive.fsck.zeroPaddedFilemode': 'ignore',
    'receive.denyCurrentBranch': 'ignore',
    'receive.denyDeleteCurrent': 'refuse',
    'receive.advertisePushOptions': 'false',
    'transfer.hideRefs': 'refs/hidden',
    'receive.hideRefs': 'refs/pull',
    'pack.threads': '1',
  };
  return {
    args: [...options(config), 'receive-pack', mode, folder],
    start: { folder, work: 'transfer', hasDialogue: true } as const,
  };
}

function options(config: Record<string, string>): string[] {
  return Object.entries(config).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}

/** A repository or a gist, opened for one request of git. */
export interface ServedGit extends GitTarget {
  program: GitProgram;
  /** Counts what pushes bring. */
  row: CountedRow;
  /** What log lines name it by. */
  logged: Record<string, number | string>;
  /** The largest pack that a push may have. */
  maxPushBytes: number;
  /** How many references one push may name to the check. */
  maxPushedRefs: number;
  /** Decides about a push whose objects are in git's quarantine. Where it is accepted, what ends it must survive a crash. */
  judgePush(proposal: ProposedPush): Promise<PushVerdict>;
}

export interface PushVerdict {
  /** What is wrong, in words for the pusher; nothing where the push is accepted. */
  messages: readonly string[];
  /** Called when git has ended, however it ended. Absent where the push is refused. */
  end?(): Promise<void>;
}

/** One exchange about what the caller may use. */
export interface GitExchange extends RawExchange {
  kernel: Kernel;
  call: RawRouteCall;
  served: ServedGit;
  service: ServiceName;
}

/**
 * The call as it is when all of the push has come: much can change while that takes. Throws where the token is gone;
 * `action` is that of the route.
 */
export async function callAgain(
  { identity, clock }: Kernel,
  caller: KnownCaller,
  action: string,
): Promise<Pick<RawRouteCall, 'caller' | 'can' | 'now'>> {
  const now = clock.now();
  const present = await identity.identifyAgain(caller, now);
  return { caller: present, now, can: (resource, other = action) => can(present, other, resource) };
}

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

/** What all transfers share: how many go on at once, the hook, and the limits. */
export class PackService {
  readonly maxPushBytes: number;
  readonly inflation: InflationLimits;
  readonly hooks: HookFolder;
  /** Fetches and pushes: twice as many as cores. */
  readonly transfers: GitTransfers;
  #abilities: Buffer | undefined;

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

  /**
   * What git is able to do, which version 2 of its protocol begins with: it follows from the program and its options, and says
   * nothing of the repository.
   */
  async findAbilities(ask: () => Promise<{ stdout: Buffer }>): Promise<Buffer> {
    return (this.#abilities ??= (await ask()).stdout);
  }

  /** Transfers that go on, and that wait. */
  get load(): { used: number; waiting: number } {
    return this.transfers.load;
  }
}
