"""Every sentence that people read has at most twenty words."""

from tests.house.sentences import iterate_sentences

MAX_WORDS = 20


def test_no_sentence_exceeds_twenty_words() -> None:
    lengths = {
        (key, sentence): len([word for word in sentence.split() if any(map(str.isalnum, word))])
        for key, sentence in iterate_sentences()
    }
    assert [place for place, length in lengths.items() if length > MAX_WORDS] == []
