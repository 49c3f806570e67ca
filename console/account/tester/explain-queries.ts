// Questions about policies, as the server answers them.
import type { Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { useSettled } from '../../lib/settled.ts';
import type { PolicyStatement } from '../policy/policy.ts';

export interface PolicyQuestion {
  action: string;
  resource: string;
}

interface Half {
  isMatch: boolean;
  by?: string;
}

export interface MatchedStatement {
  layer: 'limit' | 'member' | 'token' | 'policy';
  baseRole?: string;
  role?: string;
  team?: string;
  index?: number;
  isInherited: boolean;
  effect: 'allow' | 'deny';
  action: Half;
  resource: Half;
}

export interface PolicyAnswer extends PolicyQuestion {
  isAllowed: boolean;
  reason: 'allowed' | 'denied' | 'silent';
  decidedBy: MatchedStatement[];
  near: MatchedStatement[];
  others: number;
}

/** One of them, as the call takes it. */
export interface PolicySubject {
  member?: string | undefined;
  token?: string | undefined;
  role?: string | undefined;
  policy?: readonly PolicyStatement[] | undefined;
  /** Alone, or the base permissions of the policy. */
  baseRole?: string | undefined;
  roleAttributes?: Readonly<Record<string, readonly string[]>> | undefined;
}

const TOPICS = ['role', 'member', 'team', 'token', 'service-token'];
const TYPING_MS = 200;

/** Asked when the fingers rest; the answers before stay until then. Undefined asks nothing. */
export function useExplained(subject: PolicySubject | undefined, questions: readonly PolicyQuestion[]) {
  const isAsking = subject !== undefined && questions.length > 0;
  const text = useSettled(isAsking ? JSON.stringify({ ...subject, questions }) : '', TYPING_MS);
  const call: Call = {
    api: 'signalbox',
    method: 'POST',
    path: '/policies/explain',
    body: text === '' ? {} : (JSON.parse(text) as unknown),
    isPolled: true,
  };
  const { data, error, refetch } = useRead<{ answers: PolicyAnswer[] }>(
    { call, topics: TOPICS },
    { isEnabled: text !== '', keepsPrevious: true },
  );
  const answers = isAsking && error === null ? (data?.answers ?? []) : [];
  return {
    answerTo: (question: PolicyQuestion) => answers.find((answer) => isSameQuestion(answer, question)),
    error: isAsking ? error : null,
    retry: () => void refetch(),
  };
}

export function isSameQuestion(one: PolicyQuestion, other: PolicyQuestion): boolean {
  return one.action === other.action && one.resource === other.resource;
}

export interface KnownAction {
  action: string;
  /** After "may". */
  words: string;
  apis: string[];
}

export function useKnownActions() {
  const call: Call = { api: 'signalbox', path: '/policy-actions' };
  return useRead<{ items: KnownAction[] }>({ call }).data?.items;
}
