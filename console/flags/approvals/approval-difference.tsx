// What a request would do to the flag as it is now; of one that has ended, what was asked for.
import { Banner } from '../../ui/banner.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Difference } from '../save/difference.tsx';
import { usePreview } from '../save/save-queries.ts';
import { placeOf, type Approval } from './approval.ts';
import { APPROVAL } from './approvals-words.ts';

export function ApprovalDifference({ approval }: { approval: Approval }) {
  const { source, status } = approval;
  if (source !== undefined) return <CopyDifference approval={approval} from={source.key} />;
  return status === 'completed' ? <Asked approval={approval} /> : <PresentDifference approval={approval} />;
}

function PresentDifference({ approval }: { approval: Approval }) {
  const { project, environment, flag } = placeOf(approval);
  const change = {
    project,
    environment,
    resource: { kind: 'flag' as const, key: flag, name: flag },
    instructions: approval.instructions,
    version: 0,
  };
  const { data, error } = usePreview(change);
  if (error !== null)
    return (
      <div className="stack stack--8">
        <Banner tone="warn">
          {APPROVAL.noLonger}: {error.message}
        </Banner>
        <Asked approval={approval} />
      </div>
    );
  if (data === undefined) return <Skeleton lines={4} />;
  if (data.sentences.length === 0) return <Banner>{APPROVAL.noChange}</Banner>;
  return <Difference change={change} preview={data} />;
}

function Asked({ approval: { instructions } }: { approval: Approval }) {
  return (
    <Section title={APPROVAL.asInstructions}>
      <CodeBlock text={JSON.stringify(instructions, undefined, 2)} copyLabel={APPROVAL.copyInstructions} />
    </Section>
  );
}

function CopyDifference({ approval, from }: { approval: Approval; from: string }) {
  const { project, environment } = placeOf(approval);
  const query = new URLSearchParams({ from, to: environment }).toString();
  return (
    <Section title={APPROVAL.difference}>
      <p>{APPROVAL.source(from)}</p>
      <p className="muted t13">
        {APPROVAL.copyText}{' '}
        <TextLink href={`/compare/${encodeURIComponent(project)}?${query}`}>{APPROVAL.compare}</TextLink>
      </p>
    </Section>
  );
}
