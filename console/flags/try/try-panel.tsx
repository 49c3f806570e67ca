// Beside the editor: a context, and what it gets from the draft and from what is saved, step by step.
import '../../styles/try.css';
import { useEffect, useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useRead } from '../../api/read.ts';
import { useSettled } from '../../lib/settled.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { FieldError } from '../../ui/field.tsx';
import { SelectInput, TextArea } from '../../ui/input.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toasts.tsx';
import type { Flag } from '../flag.ts';
import type { Instruction } from '../save/instruction.ts';
import {
  decodeContext,
  encodeContext,
  EXAMPLE,
  forgetContext,
  keepContext,
  listContexts,
  parseContext,
} from './contexts.ts';
import { evaluateCall, hitOf, type EvaluateQuestion, type EvaluateReply, type TryHit } from './evaluation.ts';
import { Outcome } from './outcome.tsx';
import { TRY_WORDS as WORDS } from './try-words.ts';

export interface TryPanelProps {
  project: string;
  flag: Flag;
  environment: string;
  /** Of the draft, where it can be evaluated. */
  instructions: readonly Instruction[];
  hasDraft: boolean;
  isDraftWhole: boolean;
  onHit: (hit: TryHit | undefined) => void;
}

const TYPING_MS = 300;
const NONE: readonly Instruction[] = [];

export function TryPanel(props: TryPanelProps) {
  const { project, flag, environment, instructions, hasDraft, isDraftWhole, onHit } = props;
  const [text, setText] = useContextText();
  const id = useId();
  const settled = useSettled(text, TYPING_MS);
  const asked = useSettled(instructions, TYPING_MS);
  const { context, name, problem } = parseContext(settled);
  const question = { project, flag: flag.key, environment, context };
  const drafted = hasDraft && isDraftWhole ? asked : NONE;
  const isAsked = context !== undefined;
  const whole = useEvaluation({ ...question, instructions: drafted }, isAsked);
  // A draft may no longer fit what others saved; what is saved can still be tried.
  const isUnfit = drafted.length > 0 && whole.error !== null;
  const plain = useEvaluation({ ...question, instructions: NONE }, isAsked && isUnfit);
  const { data, error, refetch } = isUnfit ? plain : whole;
  const result = isAsked && error === null ? data?.items[0] : undefined;
  const decisive = result && (result.draft ?? result.saved);
  const hit = decisive && hitOf(decisive.reason, name);
  const hitText = JSON.stringify(hit ?? null);
  useEffect(() => {
    onHit((JSON.parse(hitText) as TryHit | null) ?? undefined);
  }, [hitText, onHit]);
  return (
    <aside className="side try" aria-label={WORDS.title}>
      <section className="row">
        <h2 className="grow try__t">{WORDS.title}</h2>
        <ShareButton text={text} />
      </section>
      <section className="stack stack--8">
        <KeptContexts text={text} name={name} onChoose={setText} />
        <TextArea
          aria-label={WORDS.json}
          aria-invalid={problem === undefined ? undefined : true}
          aria-describedby={problem === undefined ? undefined : id}
          isMono
          rows={6}
          spellCheck={false}
          value={text}
          onValue={setText}
        />
        {problem !== undefined && (
          <FieldError id={id}>
            {problem === 'not-an-object' ? WORDS.notObject : WORDS.notJson(problem.message)}
          </FieldError>
        )}
        {hasDraft && !isDraftWhole && <p className="help">{WORDS.brokenDraft}</p>}
        {isUnfit && <FieldError>{WORDS.unfitDraft(whole.error?.message ?? '')}</FieldError>}
      </section>
      {error !== null && (
        <section>
          <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
        </section>
      )}
      {context !== undefined && error === null && (
        <div className="try__r" aria-live="polite">
          {result === undefined ? (
            <section>
              <Skeleton lines={3} />
            </section>
          ) : (
            <Outcome flag={flag} environment={environment} result={result} />
          )}
        </div>
      )}
    </aside>
  );
}

function useEvaluation(question: EvaluateQuestion, isEnabled: boolean) {
  return useRead<EvaluateReply>(
    { call: evaluateCall(question), topics: ['flag', 'segment'] },
    { isEnabled, keepsPrevious: true },
  );
}

/** Of the address first; what was typed last comes back on the next page. */
let lastText: string | undefined;

function useContextText(): [string, (text: string) => void] {
  const [params] = useSearchParams();
  const code = params.get('context');
  const [text, setText] = useState(
    () => (code === null ? undefined : decodeContext(code)) ?? lastText ?? listContexts()[0]?.text ?? EXAMPLE,
  );
  return [
    text,
    (next) => {
      lastText = next;
      setText(next);
    },
  ];
}

function ShareButton({ text }: { text: string }) {
  const share = async () => {
    const url = new URL(location.href);
    url.searchParams.set('context', encodeContext(text));
    const isCopied = await copyText(url.href);
    toast(isCopied ? { text: WORDS.shared } : { text: WORDS.notShared, tone: 'bad' });
  };
  return (
    <Button
      tone="ghost"
      size="xs"
      icon="link"
      title={`${WORDS.shareLabel}. ${WORDS.shareHint}`}
      onClick={() => void share()}
    >
      {WORDS.share}
    </Button>
  );
}

interface KeptContextsProps {
  text: string;
  name: string;
  onChoose: (text: string) => void;
}

function KeptContexts({ text, name, onChoose }: KeptContextsProps) {
  const [contexts, setContexts] = useState(listContexts);
  const current = contexts.find((one) => one.text === text);
  const keep = () => {
    keepContext({ name, text });
    setContexts(listContexts());
    toast({ text: WORDS.kept(name) });
  };
  return (
    <div className="row">
      <div className="grow">
        {contexts.length === 0 ? (
          <span className="muted t13">{WORDS.json}</span>
        ) : (
          <SelectInput
            aria-label={WORDS.saved}
            controlSize="sm"
            value={current?.name ?? ''}
            onValue={(chosen) => {
              const found = contexts.find((one) => one.name === chosen);
              if (found !== undefined) onChoose(found.text);
            }}
            options={[
              { value: '', label: WORDS.choose, isDisabled: true },
              ...contexts.map((one) => ({ value: one.name, label: one.name })),
            ]}
          />
        )}
      </div>
      {current === undefined
        ? name !== '' && (
            <Button tone="ghost" size="xs" label={WORDS.saveLabel} title={WORDS.saveLabel} onClick={keep}>
              {WORDS.save}
            </Button>
          )
        : current.name !== '' && (
            <Button
              size="sm"
              tone="ghost"
              onClick={() => {
                forgetContext(current.name);
                setContexts(listContexts());
              }}
            >
              {WORDS.remove}
            </Button>
          )}
    </div>
  );
}
