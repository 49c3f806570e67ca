// The pull requests of a repository.
import { IssueListPage } from '../issues/issue-list-page.tsx';

export default function PullsPage() {
  return <IssueListPage arePulls />;
}
