// Two environments beside each other: a row for each flag that differs, and what differs can be ticked and copied.
import '../../styles/compare.css';
import '../../styles/lists.css';
import { useParams } from 'wouter';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, type SearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput } from '../../ui/input.tsx';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { FirstProject } from '../first-project.tsx';
import { useEnvironments, useProjects, type Environment } from '../queries.ts';
import { COMPARE } from './compare-words.ts';
import { Comparison } from './comparison.tsx';

export default function ComparePage() {
  const { project } = useParams<{ project?: string }>();
  return project === undefined ? (
    <FirstProject section="compare" title={COMPARE.title} />
  ) : (
    <ProjectComparison key={project} project={project} />
  );
}

function ProjectComparison({ project }: { project: string }) {
  const page = `/compare/${encodeURIComponent(project)}`;
  const search = useSearchState(page);
  const { data, error, refetch } = useEnvironments(project);
  const projects = useProjects().data?.items;
  const name = projects?.find(({ key }) => key === project)?.name ?? project;
  usePageInfo([
    { label: COMPARE.flags, href: '/flags' },
    { label: name, href: `/flags/${encodeURIComponent(project)}` },
    { label: COMPARE.title, href: page },
  ]);
  const environments = data?.items;
  const find = (key: string | undefined) => environments?.find((one) => one.key === key);
  const to = find(search.get('to')) ?? (environments && usualTarget(environments, search.get('from')));
  const from = find(search.get('from')) ?? environments?.find((one) => one !== to);
  return (
    <main id="main" className="page compare" tabIndex={-1}>
      <PageHead title={COMPARE.title} meta={COMPARE.text} />
      {environments === undefined ? (
        error === null ? (
          <Skeleton rows={8} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )
      ) : environments.length < 2 ? (
        <EmptyState icon="columns" title={COMPARE.onlyOne.title} text={COMPARE.onlyOne.text} />
      ) : (
        <>
          <Choice search={search} environments={environments} from={from} to={to} />
          {from === undefined || to === undefined || from === to ? (
            <EmptyState
              icon="columns"
              title={COMPARE.needTwo.title}
              text={from !== undefined && from === to ? COMPARE.same : COMPARE.needTwo.text}
            />
          ) : (
            <Comparison
              key={`${from.key} ${to.key}`}
              project={project}
              from={from}
              to={to}
              environments={environments}
            />
          )}
        </>
      )}
    </main>
  );
}

/** What is compared where the address says nothing: mostly somebody asks what production does not have yet. */
function usualTarget(
  environments: readonly Environment[],
  from: string | undefined,
): Environment | undefined {
  const others = environments.filter(({ key }) => key !== from);
  return others.find(({ critical }) => critical) ?? others.at(-1);
}

interface ChoiceProps {
  search: SearchState;
  environments: readonly Environment[];
  from: Environment | undefined;
  to: Environment | undefined;
}

function Choice({ search, environments, from, to }: ChoiceProps) {
  const options = environments.map(({ key, name }) => ({
    value: key,
    label: name === key ? key : `${name} (${key})`,
  }));
  return (
    <div className="row row--wrap compare__choice">
      <Field label={COMPARE.from}>
        <SelectInput
          value={from?.key ?? ''}
          onValue={(key) => search.set({ from: key, to: to?.key }, { isStep: true })}
          options={options}
        />
      </Field>
      <Button onClick={() => search.set({ from: to?.key, to: from?.key }, { isStep: true })}>
        {COMPARE.swap}
      </Button>
      <Field label={COMPARE.to}>
        <SelectInput
          value={to?.key ?? ''}
          onValue={(key) => search.set({ from: from?.key, to: key }, { isStep: true })}
          options={options}
        />
      </Field>
    </div>
  );
}
