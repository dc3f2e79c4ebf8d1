import Sorter from './sorter';

export default function Page() {
  return <Sorter />;
}
