import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sdv_threea.maths.threads import in_one_thread


def count_threads():
    return {each['num_threads'] for each in threadpool_info() if each['user_api'] == 'blas'}


@in_one_thread
def count_inside(*, fail=False):
    if fail:
        raise ValueError
    return count_threads()


def test_matrices_are_multiplied_in_one_thread_inside_and_in_as_many_as_before_afterwards():
    with threadpool_limits(2, user_api='blas'):
        assert count_inside() == {1}
        assert count_threads() == {2}
        with pytest.raises(ValueError):
            count_inside(fail=True)
        assert count_threads() == {2}
