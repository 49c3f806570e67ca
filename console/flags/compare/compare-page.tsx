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
import { useEnvironments, useProjects, type Environment } from '../queries.ts';
import { COMPARE } from './compare-words.ts';
import { Comparison } from './comparison.tsx';

export default function ComparePage() {
  const { project } = useParams<{ project: string }>();
  return <ProjectComparison key={project} project={project} />;
}

function ProjectComparison({ project }: { project: string }) {
  const page = `/compare/${encodeURIComponent(project)}`;
  const search = useSearchState(page);
  const { data, error, refetch } = useEnvironments(project);
  const projects = useProjects().data?.items;
  const name = projects?.find(({ key }) => key === project)?.name ?? project;
  usePageInfo([{ label: COMPARE.title }, { label: name, href: page, copy: project }]);
  const environments = data?.items;
  const find = (key: string | undefined) => environments?.find((one) => one.key === key);
  const [from, to] = [find(search.get('from')), find(search.get('to'))];
  return (
    <main id="main" className="page" tabIndex={-1}>
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

interface ChoiceProps {
  search: SearchState;
  environments: readonly Environment[];
  from: Environment | undefined;
  to: Environment | undefined;
}

function Choice({ search, environments, from, to }: ChoiceProps) {
  const options = [
    { value: '', label: COMPARE.choose },
    ...environments.map(({ key, name }) => ({ value: key, label: name === key ? key : `${name} (${key})` })),
  ];
  return (
    <div className="row row--wrap compare__choice">
      <Field label={COMPARE.from}>
        <SelectInput
          value={from?.key ?? ''}
          onValue={(key) => search.set({ from: key }, { isStep: true })}
          options={options}
        />
      </Field>
      <Button
        icon="redo"
        label={COMPARE.swap}
        onClick={() => search.set({ from: to?.key, to: from?.key }, { isStep: true })}
      />
      <Field label={COMPARE.to}>
        <SelectInput
          value={to?.key ?? ''}
          onValue={(key) => search.set({ to: key }, { isStep: true })}
          options={options}
        />
      </Field>
    </div>
  );
}
