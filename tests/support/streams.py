"""Rows in blocks beside the same rows in memory: everything that is known of them must be the same."""

import random

import numpy as np

from separatrix.problem.rows import filled_in
from separatrix.streaming.files import TableBlocks
from separatrix.streaming.libsvm_blocks import LibsvmBlocks
from separatrix.tables.libsvm_pieces import LibsvmPieces
from separatrix.tables.opened_pieces import Room, opened_in_pieces
from separatrix.tables.pieces import HERE


class TinyRoom(Room):
    """Room for pieces of so few bytes, but for everything else."""

    size = 0
    piece = property(lambda self: self.size)
    batch = property(lambda self: 10**6)
    most = property(lambda self: 10**6)


def tiny_room(size):
    """Room for pieces of so few bytes."""
    room = TinyRoom(10**9)
    room.size = size
    return room


def table_blocks(source, layout, choice, size, reach=HERE):
    """The blocks of a table in pieces of about so many bytes; None if it is read as a whole."""
    pieces = opened_in_pieces(source, layout, choice, tiny_room(size), reach)
    if isinstance(pieces, LibsvmPieces):
        return LibsvmBlocks(pieces)
    return None if pieces is None else TableBlocks(pieces, choice, tiny_room(size))


def outcome(function):
    """What a function returns or raises."""
    try:
        return function(), None
    except ValueError as error:
        return None, error


def require_same(blocks, data, error):
    """Require blocks to be the data, or to be refused with the same error."""
    facts, refused = outcome(blocks.facts)
    if error is not None:
        assert (type(refused), str(refused)) == (type(error), str(error))
        return
    assert refused is None
    order = list(range(len(facts.sizes)))
    random.shuffle(order)
    read = dict(blocks.blocks(order))
    rows = [read[k].rows for k in range(len(order))]
    assert [len(each) for each in rows] == list(facts.sizes)
    assert np.array_equal(np.vstack([filled_in(each.numerators) for each in rows]), filled_in(data.rows.numerators))
    assert {(each.denominator, each.reading, type(each.numerators)) for each in rows} == {
        (data.rows.denominator, data.rows.reading, type(data.rows.numerators))
    }
    assert (facts.denominator, facts.reading) == (data.rows.denominator, data.rows.reading)
    measures = data.rows.measures
    assert (facts.largest, facts.smallest, facts.longest) == (measures.largest, measures.smallest, measures.longest)
    assert (facts.n, facts.d, facts.given) == (*data.shape, data.given)
    assert (facts.columns, facts.table) == (data.columns, data.table)
    assert blocks.notes() == data.notes()
    if data.codes is not None:
        assert np.array_equal(np.concatenate([read[k].codes for k in range(len(order))]), data.codes)
        assert facts.classes == data.classes
        assert [type(each) for each in facts.classes] == [type(each) for each in data.classes]
        assert list(facts.counts) == np.bincount(data.codes, minlength=len(data.classes)).tolist()
        if data.columns is not None:
            assert (blocks.learnt.texts, vars(blocks.learnt.seen)) == (data.texts, vars(data.seen))
    some = random.sample(range(facts.n), min(facts.n, 5))
    assert blocks.places(some) == data.places_of(some)
