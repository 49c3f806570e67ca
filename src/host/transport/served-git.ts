// What the transport needs of whatever it serves: a repository or a gist, opened for one request of git.
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawExchange, RawRouteCall } from '../../kernel/http/raw-route.ts';
import type { GitTarget } from '../git/git-target.ts';
import type { GitProgram } from '../git/git-process.ts';
import type { ServiceName } from './git-service.ts';
import type { ProposedPush } from './hook-dialogue.ts';
import type { CountedRow } from './store-inflated.ts';

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
