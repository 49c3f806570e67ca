// The files of a version beside those that its last good build was made from.
import { ReadProblem } from '../../lib/read-problem.tsx';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { useBuiltFiles, type ActorDetail, type SourceFile } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';
import { ComparedWith } from './compared-with.tsx';

export interface SourceDifferenceProps {
  actor: ActorDetail;
  version: string;
  files: readonly SourceFile[];
}

export function SourceDifference({ actor, version, files }: SourceDifferenceProps) {
  const { data, error, refetch } = useBuiltFiles(actor.id, version);
  if (data === undefined) {
    if (error?.status === 404)
      return <EmptyState icon="file" title={ACTOR_WORDS.noBuiltFiles} text={error.message} />;
    if (error !== null) return <ReadProblem error={error} onRetry={() => void refetch()} />;
    return <Skeleton lines={6} />;
  }
  const { build } = data;
  const changes = changesOf(data.files, files);
  return (
    <div className="stack stack--16">
      <ComparedWith actor={actor} build={build} />
      {changes.length === 0 && <p className="muted">{ACTOR_WORDS.sameAsBuilt}</p>}
      {changes.map(({ name, state, before, after, isText }) => (
        <Section key={name} title={name} badge={<Badge>{ACTOR_WORDS.fileStates[state]}</Badge>}>
          {isText ? (
            <JsonDiff isText before={before} after={after} label={ACTOR_WORDS.differenceOf(name)} />
          ) : (
            <p className="muted t13">{ACTOR_WORDS.notText}</p>
          )}
        </Section>
      ))}
    </div>
  );
}

interface FileChange {
  name: string;
  state: keyof typeof ACTOR_WORDS.fileStates;
  before: string;
  after: string;
  isText: boolean;
}

function changesOf(before: readonly SourceFile[], after: readonly SourceFile[]): FileChange[] {
  const [old, present] = [byName(before), byName(after)];
  return [...new Set([...old.keys(), ...present.keys()])].toSorted().flatMap((name) => {
    const [one, other] = [old.get(name), present.get(name)];
    if (
      one?.content === other?.content &&
      one?.format === other?.format &&
      one !== undefined &&
      other !== undefined
    )
      return [];
    return [
      {
        name,
        state: one === undefined ? 'added' : other === undefined ? 'removed' : 'changed',
        before: one?.content ?? '',
        after: other?.content ?? '',
        isText: one?.format !== 'BASE64' && other?.format !== 'BASE64',
      } satisfies FileChange,
    ];
  });
}

function byName(files: readonly SourceFile[]): Map<string, SourceFile> {
  return new Map(files.filter(({ folder }) => folder !== true).map((file) => [file.name, file]));
}
