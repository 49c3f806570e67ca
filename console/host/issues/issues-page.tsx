// The issues of a repository.
import { IssueListPage } from './issue-list-page.tsx';

export default function IssuesPage() {
  return <IssueListPage arePulls={false} />;
}
